/** Tests of deterministic ids. */
import { stableId } from "@venue/api/StableId"
import { expect, it } from "@effect/vitest"

it("derives equal ids from equal parts and different ids from different parts", () => {
  const ids = new Set<string>()
  for (let account = 0; account < 5_000; account++) {
    for (const symbol of ["GOLD-USD", "AAPL-USD", "EUR-USD", "US500-USD"]) {
      const name = `3b0a6f7e-51c4-4a52-9d0b-${String(account).padStart(12, "0")}`
      expect(stableId(name, symbol)).toBe(stableId(name, symbol))
      ids.add(stableId(name, symbol))
    }
  }
  expect(ids.size).toBe(20_000)
  expect(stableId("a", "b")).not.toBe(stableId("ab"))
})
