/** Tests of external prices derived from futures, with the worked examples of the rules. */
import * as Futures from "@venue/domain/Futures"
import { initialInstruments } from "@venue/domain/Instrument"
import { assert, it } from "@effect/vitest"

const usd = (price: number): number => Math.round(price * 1e8)
const noHolidays: ReadonlySet<string> = new Set()
const daysOfNovember = (holidays = noHolidays) =>
  Array.from({ length: 30 }, (_, day) => Futures.businessDayOfMonth(Date.UTC(2026, 10, day + 1, 23, 59), holidays))

it("rule 3.8: derives an index price of 21,024.905 from a future at 21,105", () => {
  const ratio = Futures.spotToFutureRatio(usd(21_000), usd(21_080))
  assert.strictEqual(ratio, 996_204_933_586)
  assert.strictEqual(Math.floor(Futures.indexPrice(usd(21_105), ratio) / 1e5), 21_024_905)
})

it("rule 3.9: on business day 7 of a roll, derives a price of 71.00 from futures at 71.20 and 70.70", () => {
  assert.strictEqual(Futures.rolled(usd(71.2), usd(70.7), Futures.frontPercent(7)), usd(71))
  assert.deepStrictEqual(
    [0, 1, 5, 6, 7, 8, 9, 10, 11, 23].map(Futures.frontPercent),
    [100, 100, 100, 80, 60, 40, 20, 0, 0, 0]
  )
})

it("rule 3.9: counts Monday to Friday, except holidays, as business days", () => {
  // November 2026 begins on a Sunday.
  assert.deepStrictEqual(daysOfNovember().slice(0, 12), [0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9])
  assert.deepStrictEqual(
    daysOfNovember(new Set(["2026-11-03", "2026-11-07"])).slice(0, 12),
    [0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8]
  )
  assert.strictEqual(daysOfNovember(new Set(["2026-11-26"])).at(-1), 20)
})

it("rule 3.10: only indices, oil, copper and gas derive prices from futures", () => {
  assert.deepStrictEqual(
    initialInstruments.filter(Futures.isFuturesBased).map(({ symbol }) => symbol),
    ["US500-USD", "US100-USD", "CL-USD", "COPPER-USD", "NATGAS-USD"]
  )
  assert.isTrue(Futures.isFuturesBased({ base: "RUSSELL", category: "INDEX" }))
  assert.isFalse(Futures.isFuturesBased({ base: "WHEAT", category: "COMMODITY" }))
})

const future = (futureSymbol: string, activeUntilMillis: number, expirationMillis = activeUntilMillis) => ({
  futureSymbol,
  activeUntilMillis,
  expirationMillis
})

it("rule 3.10: the use of a future begins when the use of the previous future ends", () => {
  const futures = Futures.chained(10, [future("CLX6", 20, 25), future("CLZ6", 30)])
  assert.deepStrictEqual(futures, [
    { futureSymbol: "CLX6", activeFromMillis: 10, activeUntilMillis: 20, expirationMillis: 25 },
    { futureSymbol: "CLZ6", activeFromMillis: 20, activeUntilMillis: 30, expirationMillis: 30 }
  ])
  assert.deepStrictEqual(Futures.chained(10, []), [])
})

it("rule 3.10: rejects a repeated future, a future without a period of use, and a future that expires while in use", () => {
  const flaw = (...futures: Parameters<typeof Futures.chained>[1]) => {
    const found = Futures.calendarFlaw(10, futures)
    return found === undefined ? undefined : [found.index, found.term]
  }
  assert.isUndefined(flaw())
  assert.isUndefined(flaw(future("A", 11), future("B", 12, 20), future("C", 13)))
  assert.deepStrictEqual(flaw(future("A", 10)), [0, "activeUntilMillis"])
  assert.deepStrictEqual(flaw(future("A", 20), future("B", 20)), [1, "activeUntilMillis"])
  assert.deepStrictEqual(flaw(future("A", 20), future("B", 30), future("A", 40)), [2, "futureSymbol"])
  assert.deepStrictEqual(flaw(future("A", 20), future("B", 30, 29)), [1, "expirationMillis"])
})
