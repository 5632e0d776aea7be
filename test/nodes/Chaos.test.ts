/** A short run of `npm run chaos` with a fixed seed. */
import { join } from "node:path"
import { assert, expect, it } from "vitest"
import * as Command from "./Command.ts"

const seconds = 45

it("I1 I2 I4 I8 I10 I20 I21 I22 I25 I30 I31 I34 I35 I36 I40 I51: process faults neither lose nor duplicate anything", async () => {
  // Faults last a tenth of their usual time. Deadlines are 20 times as long, because this run measures no times.
  const options = [
    "--minutes",
    String(seconds / 60),
    "--seed",
    "7",
    "--scale",
    "0.1",
    "--traders",
    "12",
    "--patience",
    "20"
  ]
  const { code, output } = await Command.run(join(import.meta.dirname, "../chaos/main.ts"), options)
  assert.strictEqual(code, 0, output)
  expect(output).toMatch(/figures: commands \d+, acked [1-9]\d*, lost 0, doubled 0, .* findings 0/)
})
