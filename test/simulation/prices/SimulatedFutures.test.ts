/** Simulated futures follow each other without a gap, on any day. */
import { calendarFlaw, chained } from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { calendarOf, settlementsOf } from "@venue/simulation/prices/SimulatedFutures"
import { assert, it } from "@effect/vitest"

const cl = MarketSymbol.make("CL-USD")
const us100 = MarketSymbol.make("US100-USD")
const gold = MarketSymbol.make("GOLD-USD")

/** Returns the future in use, its last day of use, and its expiry. */
const activeAt = (symbol: MarketSymbol, time: string) => {
  const { activeFromMillis, futures } = calendarOf(symbol, Date.parse(time))!
  const active = chained(activeFromMillis, futures).find(
    ({ activeUntilMillis }) => activeUntilMillis >= Date.parse(time)
  )
  return [
    active?.futureSymbol,
    ...[active!.activeUntilMillis, active!.expirationMillis].map((millis) =>
      new Date(millis).toISOString().slice(0, 10)
    )
  ]
}

it("rule 3.9: a commodity uses next month's future until this month's roll ends", () => {
  // Business day 10 of November 2026 is the 13th.
  assert.deepStrictEqual(activeAt(cl, "2026-11-12T23:59:59Z"), ["CLZ6", "2026-11-13", "2026-11-20"])
  assert.deepStrictEqual(activeAt(cl, "2026-11-13T00:00:01Z"), ["CLF7", "2026-12-14", "2026-12-21"])
})

it("an index has one future per quarter", () => {
  assert.deepStrictEqual(activeAt(us100, "2026-01-01T00:00:00Z"), ["NQH6", "2026-03-13", "2026-03-20"])
  assert.deepStrictEqual(activeAt(us100, "2026-12-31T00:00:00Z"), ["NQH7", "2027-03-12", "2027-03-19"])
  assert.isUndefined(calendarOf(gold, 0))
})

const days = Array.from({ length: 800 }, (_, day) => Date.UTC(2027, 0, 1) + day * 86_400_000)

it("a calendar covers most of a year before and after any day", () => {
  for (const symbol of [cl, us100]) {
    for (const now of days.filter((_, index) => index % 17 === 0)) {
      const { activeFromMillis, futures } = calendarOf(symbol, now)!
      assert.isUndefined(calendarFlaw(activeFromMillis, futures))
      assert.isAtMost(activeFromMillis, now - 365 * 86_400_000)
      assert.isAtLeast(futures.at(-1)!.activeUntilMillis, now + 340 * 86_400_000)
    }
  }
})

it("lists settlements for the last five business days, and only for symbols with a future", () => {
  for (const now of days.slice(0, 14)) {
    const settled = settlementsOf(us100, now + 12 * 3_600_000)
    assert.strictEqual(settled.length, 5)
    for (const { day, officialCloseE8, settlementE8 } of settled) {
      assert.isBelow(Date.parse(day), now)
      assert.notInclude([0, 6], new Date(day).getUTCDay())
      assert.deepStrictEqual([officialCloseE8, settlementE8], [2_100_000_000_000, 2_107_980_000_000])
    }
  }
  assert.deepStrictEqual(settlementsOf(gold, 0), [])
})
