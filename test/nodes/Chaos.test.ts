/** The chaos run of `npm run chaos`, short and with a seed that stays. */
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Command from "./Command.ts"

const seconds = 45

it("I1 I2 I4 I8 I10 I20 I21 I22 I25 I30 I31 I34 I35 I36 I40 I51: nothing is lost or doubled by faults of several processes", async () => {
  // Faults last a tenth of their time, and what is promised in seconds has more of them beside other tests.
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
  expect({ code, output }).toEqual({ code: 0, output: expect.any(String) })
  expect(output).toMatch(/figures: commands \d+, acked [1-9]\d*, lost 0, doubled 0, .* findings 0/)
})
