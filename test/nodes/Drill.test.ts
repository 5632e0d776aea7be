/** A short run of `npm run drill`. */
import { join } from "node:path"
import { assert, expect, it } from "vitest"
import * as Command from "./Command.ts"

it("I57: a drill of restores, a failover and a lost key loses no acknowledged order, and every check is met", async () => {
  const options = ["--seconds", "1", "--rounds", "1"]
  const { code, output } = await Command.run(join(import.meta.dirname, "../drill/main.ts"), options)
  assert.strictEqual(code, 0, output)
  for (const part of [
    "restore to a point in time",
    "restore behind the witness",
    "lost secret key",
    "failover to a synchronous standby"
  ])
    expect(output).toContain(`## ${part}`)
  expect(output).toMatch(/ok: failover 1, acknowledged orders that are lost: expected none of [1-9]/)
  expect(output).toMatch(/summary: [1-9]\d checks, all met/)
})
