/** `npm start` as a process with its own data directory and ports. */
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { onTestFinished } from "vitest"
import * as Boot from "./Boot.ts"
import * as Guard from "./Guard.ts"
import * as Ports from "./Ports.ts"
import { until } from "./Until.ts"

export { patienceMillis, until } from "./Until.ts"

const root = join(import.meta.dirname, "..", "..")

export type Variables = Readonly<Record<string, string>>

/** A venue's data directory and ports, which stay the same for all its starts. */
export interface Site {
  readonly dataDir: string
  readonly ports: Variables
}

export interface User {
  readonly name: string
  readonly user_id: string
  readonly public_key: string
  readonly secret_key: string
}

export interface DevFile {
  readonly urls: Readonly<Record<"rest" | "funding" | "trade" | "market_data" | "admin", string>>
  readonly brand: string
  readonly admin_token: string
  readonly users: ReadonlyArray<User>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A started process, whether or not it is ready. */
export interface Launched {
  readonly pid: number
  /** Returns the complete standard output and standard error. */
  readonly output: () => string
  /** Milliseconds from the start to the first output. */
  readonly firstOutput: Promise<number>
  readonly ended: Promise<Ending>
  /** Sends the signal to this process only, not to its children, and waits until it exits. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ending>
}

export interface DevApp extends Launched {
  readonly file: DevFile
}

/** Returns the last line of output without its prefix `venue: `. */
export const lastLine = ({ output }: Launched): string =>
  output()
    .trim()
    .split("\n")
    .at(-1)!
    .replace(/^venue: /, "")

/** Makes a site, which is removed with its database server when the test finishes. */
export const makeSite = async (): Promise<Site> => {
  const dataDir = mkdtempSync(join(tmpdir(), "venue-nodes-"))
  // If the test runs as root, the database server runs as another user, who needs access to the directory.
  chmodSync(dataDir, 0o755)
  onTestFinished(async () => {
    for (const pid of postgresOf(dataDir)) process.kill(pid, "SIGQUIT")
    await until("the database server is gone", () => postgresOf(dataDir).length === 0)
    for (const folder of postgresFolders(dataDir)) rmSync(folder, { recursive: true, force: true })
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, ports: await freePorts() }
}

export const freePorts = async (): Promise<Variables> => {
  const names = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"].map((name) => `VENUE_${name}_PORT`)
  const ports = await Ports.free(names.length)
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]))
}

/** Runs the auditor, as `npm start` does. Other tests leave it off to save a process. */
export const audited: Variables = { VENUE_AUDITOR: "on" }

/** Starts the program: by default the dev app itself. Some tests need the full start through `scripts/boot.mjs`. */
export const launch = (site: Site, variables: Variables = {}, program = ["apps/dev/main.ts"]): Launched => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...Boot.flags, ...program], {
    cwd: root,
    env: {
      ...Boot.environment,
      ...site.ports,
      VENUE_DATA_DIR: site.dataDir,
      VENUE_MARKET_MAKER: "off",
      VENUE_AUDITOR: "off",
      VENUE_RATE_LIMITS: "off",
      ...variables
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  const first = Promise.withResolvers<number>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += String(text)
      first.resolve(performance.now() - startedAt)
    })
  }
  const ended = new Promise<Ending>((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  const abandon = () => child.kill("SIGKILL")
  process.once("exit", abandon)
  // On SIGTERM the venue stops the database server that it started.
  const unguard = Guard.over(child.pid!, "SIGTERM")
  void ended.then(() => {
    process.removeListener("exit", abandon)
    unguard()
  })
  onTestFinished(async () => {
    await end("SIGKILL")
  })
  return { pid: child.pid!, output: () => output, firstOutput: first.promise, ended, end }
}

/** Starts the program and waits for its line `venue: ready`. Fails with the program's output if it exits first. */
export const start = async (site: Site, variables: Variables = {}, program?: Array<string>): Promise<DevApp> => {
  const launched = launch(site, variables, program)
  let hasEnded = false
  void launched.ended.then(() => (hasEnded = true))
  await until("the dev app is ready", () => {
    if (hasEnded) throw new Error(`the dev app ended:\n${launched.output()}`)
    return launched.output().includes("venue: ready")
  })
  return { ...launched, file: readFile(site) }
}

export const readFile = (site: Site): DevFile => JSON.parse(readFileSync(join(site.dataDir, "dev.json"), "utf8"))

/** Returns the process ids of this data directory's database servers. */
export const postgresOf = (dataDir: string): ReadonlyArray<number> => {
  const folders = postgresFolders(dataDir)
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => folders.some((folder) => commandLine(pid).includes(folder)))
    .map(Number)
}

/** Returns the folders of the database files. If the test runs as root, they are outside the data directory. */
const postgresFolders = (dataDir: string): ReadonlyArray<string> => {
  const memory = join(dataDir, "postgres", "postgres.json")
  if (!existsSync(memory)) return []
  return [resolve(dataDir, "postgres", JSON.parse(readFileSync(memory, "utf8")).directory)]
}

/** Returns a process's command line, or an empty string if it has exited. */
const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}
