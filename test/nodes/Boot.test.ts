/** The compile cache that several starts share. */
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import * as Boot from "./Boot.ts"

const { HOME, NODE_COMPILE_CACHE: kept, PATH } = Boot.environment

/**
 * Starts a program that fails because settings are missing. Returns its exit code and the modules it read from the
 * compile cache.
 */
const boot = (variables: Readonly<Record<string, string>> = {}) => {
  const { stderr, status } = spawnSync(process.execPath, ["scripts/boot.mjs", "apps/wallet/main.ts"], {
    env: { HOME, PATH, NODE_DEBUG_NATIVE: "COMPILE_CACHE", ...variables },
    encoding: "utf8"
  })
  const modules = stderr.split("\n").filter((line) => line.startsWith("[compile cache] reading cache from "))
  return { status, modules, isRefused: stderr.includes("venue: VENUE_WALLET_SECRET: expected a value") }
}

it("a start reuses the code that an earlier start compiled", () => {
  boot()
  const { modules } = boot()
  expect(modules.length).toBeGreaterThan(100)
  expect(modules.filter((line) => !line.includes(`from ${kept}`) || !line.includes("... success"))).toEqual([])
})

it("a start continues without a compile cache if the cache folder cannot be written", () => {
  const refused = { status: 1, modules: [], isRefused: true }
  expect(boot({ NODE_COMPILE_CACHE: "/sys/venue" })).toEqual(refused)
})
