/** Tests of leverage levels, margin rates and the position limit of each level. */
import { initialInstruments } from "@venue/domain/Instrument"
import { initialMargin, isLevel, maintenanceMargin, maxNotional, positionLimitUsd } from "@venue/domain/Leverage"
import { assert, test } from "@effect/vitest"

const instrument = (name: string) => initialInstruments.find(({ symbol }) => symbol === name)!
const usd = 1_000_000

test("accepts whole leverage levels from 1 to the instrument's maximum", () => {
  const aapl = instrument("AAPL-USD")
  for (const level of [1, 2, 10]) assert.isTrue(isLevel(aapl, level))
  for (const level of [0, -1, 1.5, 11, NaN, Infinity]) assert.isFalse(isLevel(aapl, level))
})

test("requires an initial margin of 1,020 and a maintenance margin of 680 for a value of 10,200 at 10x", () => {
  assert.strictEqual(initialMargin(10_200_000_000n, 10), 1_020_000_000n)
  assert.strictEqual(maintenanceMargin(10_200_000_000n, 10), 680_000_000n)
})

test("rule 7.3: requires a maintenance margin of 0.666667 at 1x and 0.033334 at 20x for a value of 1 USD", () => {
  assert.deepStrictEqual(
    [1, 2, 20].map((level) => maintenanceMargin(1_000_000n, level)),
    [666_667n, 333_334n, 33_334n]
  )
})

test("rounds margins up", () => {
  assert.strictEqual(initialMargin(1n, 10), 1n)
  assert.strictEqual(maintenanceMargin(16n, 10), 2n)
})

test("limits equity positions to 4,750,000 USD at 1x, 3,750,000 at 5x and 2,500,000 at 10x", () => {
  const aapl = instrument("AAPL-USD")
  assert.deepStrictEqual(
    [1, 5, 10].map((level) => maxNotional(aapl, level) / usd),
    [4_750_000, 3_750_000, 2_500_000]
  )
})

test("rule 6.4: position limits at 1x, 2x and 20x have the ratio 195 : 190 : 100 if 20x is the maximum", () => {
  const silver = instrument("SILVER-USD")
  assert.deepStrictEqual(
    [1, 2, 20].map((level) => maxNotional(silver, level) / usd / 50_000),
    [195, 190, 100]
  )
})

test("limits gold positions at 20x and 10x to the published amounts", () => {
  const gold = instrument("GOLD-USD")
  assert.strictEqual(maxNotional(gold, 20), 13_333_333_333_333)
  assert.strictEqual(maxNotional(gold, 10), 16_666_666_666_666)
})

test("limits a position at maximum leverage by its product class, and limits gold like an index", () => {
  const limits = ["EUR-USD", "US500-USD", "GOLD-USD", "SILVER-USD", "AAPL-USD"].map((name) =>
    positionLimitUsd(instrument(name))
  )
  assert.deepStrictEqual(limits, [50_000_000, 10_000_000, 10_000_000, 5_000_000, 2_500_000])
  for (const listed of initialInstruments) {
    assert.strictEqual(maxNotional(listed, listed.maxLeverage), positionLimitUsd(listed) * usd)
  }
})
