/** Trading fees by tier and class. */
import { feeOf, ratesFor, tiers } from "@venue/domain/Fee"
import { starters } from "@venue/domain/Instrument"
import { assert, test } from "@effect/vitest"

const instrument = (name: string) => starters.find(({ symbol }) => symbol === name)!

test("33.333 x 0.299 at 2 bps costs 0.001994: fees round up", () => {
  // 33.333 x 0.299 = 9.966567 in money.
  assert.strictEqual(feeOf(9_966_567, 20_000), 1_994)
})

test("a taker of 10,200 in stocks pays 10.20 in tier 1 and 8.16 in tier 2", () => {
  assert.strictEqual(feeOf(10_200_000_000, ratesFor(instrument("AAPL-USD"), 0).taker), 10_200_000)
  assert.strictEqual(feeOf(10_200_000_000, ratesFor(instrument("AAPL-USD"), 5_000_000).taker), 8_160_000)
})

test("a maker of 100,000 EUR at 1.0850 pays 10.85 in tier 1", () => {
  assert.strictEqual(feeOf(108_500_000_000, ratesFor(instrument("EUR-USD"), 0).maker), 10_850_000)
})

test("a tier holds from its volume on", () => {
  const aapl = instrument("AAPL-USD")
  assert.strictEqual(ratesFor(aapl, 1_999_999).taker, 100_000)
  assert.strictEqual(ratesFor(aapl, 2_000_000).taker, 80_000)
  assert.strictEqual(ratesFor(aapl, 1e12).taker, 30_000)
  assert.strictEqual(ratesFor(instrument("GOLD-USD"), 250_000_000).maker, 0)
})

test("more volume never costs more, and a maker never more than a taker", () => {
  for (const group of ["stocks", "other"] as const) {
    let before = tiers[0]![group]
    for (const tier of tiers) {
      assert.isAtMost(tier[group].maker, tier[group].taker)
      assert.isAtMost(tier[group].maker, before.maker)
      assert.isAtMost(tier[group].taker, before.taker)
      before = tier[group]
    }
  }
})
