/** A short run of `npm run treasury-kills`. */
import { join } from "node:path"
import { assert, expect, it } from "vitest"
import * as Command from "./Command.ts"

it("I9 to I16: no deposit or withdrawal is lost, duplicated or stuck after three kills", async () => {
  const options = ["--deposits", "24", "--withdrawals", "24", "--kills", "3", "--seed", "11"]
  const { code, output } = await Command.run(join(import.meta.dirname, "treasury/main.ts"), options)
  assert.strictEqual(code, 0, output)
  expect(output).toMatch(/deposits \d+, withdrawals 24, kills 3: lost 0, doubled 0, stuck 0, otherwise wrong 0/)
})
