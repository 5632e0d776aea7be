/** Tests of trading fees by tier and product class. */
import { effectiveVolume, feeOf, firstTier, ratesOf, tierOf, tiers } from "@venue/domain/Fee"
import { initialInstruments } from "@venue/domain/Instrument"
import { assert, test } from "@effect/vitest"

const instrument = (name: string) => initialInstruments.find(({ symbol }) => symbol === name)!
const usd = (amount: number): bigint => BigInt(amount) * 1_000_000n

test("rounds fees up: 33.333 x 0.299 at 2 bps costs 0.001994", () => {
  // 33.333 x 0.299 = 9.966567 USD.
  assert.strictEqual(feeOf(9_966_567, 20_000), 1_994)
})

test("rule 11.4: weights volume by product class, so that 3,000,000 in FX and 850,000 elsewhere count as 5,000,000", () => {
  const volume =
    effectiveVolume(instrument("EUR-USD"), usd(3_000_000)) +
    effectiveVolume(instrument("GOLD-USD"), usd(500_000)) +
    effectiveVolume(instrument("US500-USD"), usd(250_000)) +
    effectiveVolume(instrument("AAPL-USD"), usd(100_000))
  assert.strictEqual(volume, usd(5_000_000))
  assert.strictEqual(tierOf(volume), 2)
})

test("rule 11.1: charges a taker of 10,200 USD in stocks 10.20 in tier 1 and 8.16 in tier 2", () => {
  assert.strictEqual(feeOf(10_200_000_000, ratesOf(instrument("AAPL-USD"), 1).taker), 10_200_000)
  assert.strictEqual(feeOf(10_200_000_000, ratesOf(instrument("AAPL-USD"), 2).taker), 8_160_000)
})

test("rule 11.1: charges a maker a fee of 10.85 in tier 1 for 100,000 EUR at 1.0850", () => {
  assert.strictEqual(feeOf(108_500_000_000, ratesOf(instrument("EUR-USD"), 1).maker), 10_850_000)
})

test("rule 11.4: each tier starts at exactly its weighted volume", () => {
  assert.strictEqual(tierOf(0n), firstTier)
  for (const [tier, fromVolume] of [
    [2, 2_000_000],
    [3, 10_000_000],
    [4, 50_000_000],
    [5, 250_000_000]
  ] as const) {
    assert.strictEqual(tierOf(usd(fromVolume) - 1n), tier - 1)
    assert.strictEqual(tierOf(usd(fromVolume)), tier)
  }
  assert.strictEqual(tierOf(10n ** 30n), 5)
})

test("rule 11.3: applies the rates of each tier, in hundredths of a basis point", () => {
  const paid = (name: string) =>
    [1, 2, 3, 4, 5].map((tier) => {
      const { maker, taker } = ratesOf(instrument(name), tier)
      return `${taker / 100} ${maker / 100}`
    })
  assert.deepStrictEqual(paid("AAPL-USD"), ["1000 200", "800 150", "600 100", "450 50", "300 0"])
  for (const other of ["US500-USD", "GOLD-USD", "EUR-USD"]) {
    assert.deepStrictEqual(paid(other), ["500 100", "400 75", "300 50", "225 25", "150 0"])
  }
})

test("no rate rises with volume, and no maker pays more than a taker", () => {
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
