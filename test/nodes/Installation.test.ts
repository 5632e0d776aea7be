/** Which packages `scripts/boot.mjs` requires before it starts a program, in a folder with a recorded installation. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { delimiter, join } from "node:path"
import { beforeAll, expect, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "..", "..")

interface Package {
  readonly version: string
  readonly dev?: boolean
  readonly link?: boolean
}

let folder = ""

/** Makes a folder with the record of `npm ci --omit=dev`, two programs, and an npm that only prints its arguments. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "venue-installation-"))
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true })
  cpSync(join(root, "package-lock.json"), join(folder, "package-lock.json"))
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Package>>
  }
  const production = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true)
  for (const [path] of production) {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, "package.json"), "{}")
  }
  const record = { packages: Object.fromEntries(production) }
  writeFileSync(join(folder, "node_modules", ".package-lock.json"), JSON.stringify(record))
  mkdirSync(join(folder, "node_modules", "node", "bin"))
  symlinkSync(process.execPath, join(folder, "node_modules", "node", "bin", "node"))
  for (const app of ["gateway", "dev"]) {
    mkdirSync(join(folder, "apps", app), { recursive: true })
    writeFileSync(join(folder, "apps", app, "main.mjs"), `console.log("${app} runs")`)
  }
  mkdirSync(join(folder, "bin"))
  writeFileSync(join(folder, "bin", "npm"), '#!/bin/sh\necho "npm $@"\nexit 3\n')
  chmodSync(join(folder, "bin", "npm"), 0o755)
  return () => rmSync(folder, { recursive: true, force: true })
})

const boot = (program: string, uid?: number) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ["scripts/boot.mjs", program], {
    cwd: folder,
    env: { HOME: folder, PATH: `${join(folder, "bin")}${delimiter}${process.env["PATH"]}` },
    encoding: "utf8",
    ...(uid === undefined ? {} : { uid })
  })
  return { status, text: stdout + stderr }
}

it("a gateway starts with the packages of `npm ci --omit=dev`, without npm", () => {
  const { status, text } = boot("apps/gateway/main.mjs")
  expect(text).toContain("gateway runs")
  expect(text).not.toContain("npm ci")
  expect(status).toBe(0)
})

it("the single-process venue installs the development packages that it lacks", () => {
  const { status, text } = boot("apps/dev/main.mjs")
  expect(text).toContain("npm ci --include=dev")
  expect(text).toContain("npm ci ended with code 3")
  expect(status).toBe(1)
})

it.runIf(userInfo().uid === 0)("the error states the command for the owner if the user cannot install packages", () => {
  const record = join(folder, "node_modules", ".package-lock.json")
  const kept = readFileSync(record, "utf8")
  onTestFinished(() => writeFileSync(record, kept))
  rmSync(join(folder, ".venue"), { recursive: true, force: true })
  writeFileSync(record, JSON.stringify({ packages: {} }))
  chmodSync(folder, 0o755)
  for (const [program, command] of [
    ["apps/gateway/main.mjs", "npm ci --omit=dev"],
    ["apps/dev/main.mjs", "npm ci"]
  ] as const) {
    const { status, text } = boot(program, 65_534)
    expect(text).toContain(`this user cannot write ${folder}; run \`${command}\` there as the owner of the folder`)
    expect(status).toBe(1)
  }
})
