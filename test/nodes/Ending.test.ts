/** Shutdown of a venue on SIGTERM and Ctrl-C, and a venue whose output cannot be written. */
import { spawn } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as DevApp from "./DevApp.ts"

const boot = ["scripts/boot.mjs", "apps/dev/main.ts"]

for (const [target, program] of [
  ["the venue", ["apps/dev/main.ts"]],
  ["boot.mjs", boot]
] as const) {
  it(`exits with code 0 on SIGTERM to ${target} and with 130 on Ctrl-C, and leaves no process running`, async () => {
    const site = await DevApp.makeSite()
    for (const [signal, code] of [
      ["SIGTERM", 0],
      ["SIGINT", 130]
    ] as const) {
      const app = await DevApp.start(site, DevApp.audited, [...program])
      expect(await app.end(signal)).toEqual({ code, signal: null })
      expect(DevApp.postgresOf(site.dataDir)).toEqual([])
    }
  })
}

it("exits with code 0 on SIGTERM even if the program has not started yet", async () => {
  const site = await DevApp.makeSite()
  const launched = DevApp.launch(site, {}, boot)
  await launched.firstOutput
  expect(await launched.end("SIGTERM")).toEqual({ code: 0, signal: null })
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
})

it.runIf(existsSync("/dev/full"))("a venue continues if a full disk rejects its output", async () => {
  const site = await DevApp.makeSite()
  const full = openSync("/dev/full", "w")
  const child = spawn(process.execPath, boot, {
    cwd: join(import.meta.dirname, "..", ".."),
    env: { ...process.env, ...site.ports, VENUE_DATA_DIR: site.dataDir },
    stdio: ["ignore", full, full]
  })
  closeSync(full)
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = new Promise<number | null>((tell) => child.once("exit", tell))
  await DevApp.until("dev.json exists", () => existsSync(join(site.dataDir, "dev.json")))
  const { urls } = DevApp.readFile(site)
  expect((await fetch(`${urls.rest}/health/live`)).status).toBe(200)
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
})
