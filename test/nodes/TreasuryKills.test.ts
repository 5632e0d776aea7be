/** The run of `npm run treasury-kills`, with three kills and few of each. */
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Command from "./Command.ts"

it("I9 to I16: three kills of the venue lose, double and leave stuck nothing that comes in or leaves", async () => {
  const options = ["--deposits", "24", "--withdrawals", "24", "--kills", "3", "--seed", "11"]
  const { code, output } = await Command.run(join(import.meta.dirname, "treasury/main.ts"), options)
  expect({ code, output }).toEqual({ code: 0, output: expect.any(String) })
  expect(output).toMatch(/deposits \d+, withdrawals 24, kills 3: lost 0, doubled 0, stuck 0, otherwise wrong 0/)
})
