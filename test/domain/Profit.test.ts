/** Tests of profit as a percentage (rule 8.11). */
import { percentE6 } from "@venue/domain/Profit"
import { expect, it } from "vitest"

it("truncates a profit percentage to six decimals, and returns 0 if the base is 0", () => {
  expect(percentE6(250_000_000n, 5_000_000_000n)).toBe(5_000_000n)
  expect(percentE6(98_000_000n, 150_000_000_000n)).toBe(65_333n)
  expect(percentE6(-98_000_000n, 150_000_000_000n)).toBe(-65_333n)
  expect([percentE6(1n, 0n), percentE6(1n, -1n)]).toEqual([0n, 0n])
})
