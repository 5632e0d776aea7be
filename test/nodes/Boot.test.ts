/** What a start keeps for the next one. */
import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import * as Boot from "./Boot.ts"

const { HOME, NODE_COMPILE_CACHE: kept, PATH } = Boot.environment

/** A program that ends at once, since it has no settings: its last words, and what Node says of each module. */
const boot = (variables: Readonly<Record<string, string>> = {}) => {
  const { stderr, status } = spawnSync(process.execPath, ["scripts/boot.mjs", "apps/wallet/main.ts"], {
    env: { HOME, PATH, NODE_DEBUG_NATIVE: "COMPILE_CACHE", ...variables },
    encoding: "utf8"
  })
  const modules = stderr.split("\n").filter((line) => line.startsWith("[compile cache] reading cache from "))
  return { status, modules, isRefused: stderr.includes("venue: VENUE_WALLET_SECRET: expected a value") }
}

it("what one start has compiled the next one reads, beside the packages", () => {
  boot()
  const { modules } = boot()
  expect(modules.length).toBeGreaterThan(100)
  expect(modules.filter((line) => !line.includes(`from ${kept}`) || !line.includes("... success"))).toEqual([])
})

it("where nothing can be kept, a start is as it is without", () => {
  const refused = { status: 1, modules: [], isRefused: true }
  expect(boot({ NODE_COMPILE_CACHE: "/sys/venue" })).toEqual(refused)
})
