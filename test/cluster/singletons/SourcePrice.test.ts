/** Tests of source prices: worked examples and missing inputs. */
import * as SourcePrice from "@venue/cluster/singletons/SourcePrice"
import * as Futures from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, it } from "@effect/vitest"

const us100 = MarketSymbol.make("US100-USD")
const cl = MarketSymbol.make("CL-USD")
const usd = (price: number): number => Math.round(price * 1e8)
const said = (prices: Readonly<Record<string, number>>) => (contract: string) =>
  prices[contract] === undefined ? undefined : usd(prices[contract])
const reference: SourcePrice.Reference = {
  ratios: new Map([[us100, Futures.spotToFutureRatio(usd(21_000), usd(21_080))]]),
  holidays: new Set(["2026-11-26"])
}
const november = (day: number) => Date.UTC(2026, 10, day, 12)

it("rule 3.8: derives an index price from its future and the newest settlement price, or undefined without such a price", () => {
  const price = (known: SourcePrice.Reference) =>
    SourcePrice.of(us100, { future: "NQ" }, said({ NQ: 21_105 }), known, november(3))
  assert.closeTo(price(reference)! / 1e8, 21_024.905, 0.001)
  assert.isUndefined(price({ ...reference, ratios: new Map() }))
  assert.isUndefined(SourcePrice.of(us100, { future: "NQ" }, said({}), reference, november(3)))
})

it("rule 3.9: rolls a commodity from one month's future to the next between business days 5 and 10", () => {
  const contracts = { months: { "2026-11": "CLZ6", "2026-12": "CLF7" } }
  const price = (atMillis: number, prices: Readonly<Record<string, number>> = { CLZ6: 71.2, CLF7: 70.7 }) =>
    SourcePrice.of(cl, contracts, said(prices), reference, atMillis)
  // Business day 5 of November 2026 is the 6th, and business day 10 is the 13th.
  const days = [1, 6, 7, 9, 10, 13, 30].map(november)
  assert.deepStrictEqual(
    days.map((day) => price(day)! / 1e8),
    [71.2, 71.2, 71.2, 71.1, 71, 70.7, 70.7]
  )
  assert.strictEqual(price(november(6), { CLZ6: 71.2 }), usd(71.2))
  assert.isUndefined(price(november(10), { CLZ6: 71.2 }))
  assert.strictEqual(price(november(30), { CLF7: 70.7 }), usd(70.7))
  // One month later that contract is the front contract.
  assert.strictEqual(price(Date.UTC(2026, 11, 1), { CLF7: 70.7 }), usd(70.7))
  assert.isUndefined(price(Date.UTC(2027, 0, 1)))
})

it("rolls a commodity from a December future to the January future", () => {
  const contracts = { months: { "2026-12": "F7", "2027-01": "G7" } }
  assert.strictEqual(SourcePrice.of(cl, contracts, said({ G7: 70 }), reference, Date.UTC(2026, 11, 31)), usd(70))
})
