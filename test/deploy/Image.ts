/** Runs the Dockerfile's steps in a local folder, without a container engine. */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, globSync, lstatSync } from "node:fs"
import { dirname, join } from "node:path"
import { read, root } from "./Manifests.ts"

const steps = read("Dockerfile")
  .split("\n")
  .flatMap((line) => {
    const [, step, text] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return step === undefined ? [] : [{ step, text: text! }]
  })
const words = (step: string): ReadonlyArray<string> =>
  JSON.parse(steps.find((line) => line.step === step)!.text) as ReadonlyArray<string>

export const entrypoint = words("ENTRYPOINT")
/** Files that `.dockerignore` keeps out of the build context. */
const ignored = read(".dockerignore")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .flatMap((pattern) => globSync(pattern, { cwd: root }))

/** Runs the COPY and RUN steps. Only RUN steps are allowed to use the network. */
export const build = (folder: string): void => {
  for (const { step, text } of steps) {
    if (step === "COPY") copy(text.split(" "), folder)
    if (step === "RUN")
      execFileSync("sh", ["-c", text], {
        cwd: folder,
        stdio: "pipe",
        env: { ...process.env, npm_config_prefer_offline: "true" }
      })
  }
}

const copy = (paths: ReadonlyArray<string>, folder: string): void => {
  const to = paths.at(-1)!
  for (const from of paths.slice(0, -1)) {
    if (!lstatSync(join(root, from)).isDirectory()) {
      cpSync(join(root, from), join(folder, to, from))
      continue
    }
    cpSync(join(root, from), join(folder, to), {
      recursive: true,
      filter: (path) => !ignored.some((kept) => path === join(root, kept))
    })
  }
}

export interface Started {
  readonly pid: number
  readonly output: () => string
  readonly ended: Promise<number | null>
  readonly stop: () => Promise<number | null>
}

/** Starts an app of the image with the image's entry point, as the user `uid`. */
export const start = (
  folder: string,
  app: string,
  env: Readonly<Record<string, string>>,
  uid: number | undefined
): Started => {
  const [, ...flags] = entrypoint
  const child = spawn(process.execPath, [...flags, app], {
    cwd: folder,
    env: { PATH: dirname(process.execPath), NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid })
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  return {
    pid: child.pid!,
    output: () => output,
    ended,
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}
