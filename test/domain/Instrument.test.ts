/** Tests of the contracts of a new venue, and of their price and quantity increments. */
import {
  lotsOf,
  notional,
  priceDecimals,
  priceOf,
  quantityDecimals,
  quantityOf,
  initialInstruments,
  ticksOf
} from "@venue/domain/Instrument"
import { assert, test } from "@effect/vitest"

const instrument = (name: string) => initialInstruments.find(({ symbol }) => symbol === name)!

test("converts a price to ticks, and returns NaN for a price between two ticks", () => {
  const gold = instrument("GOLD-USD")
  assert.strictEqual(ticksOf(gold, 3_411.2), 34_112)
  assert.isNaN(ticksOf(gold, 3_411.25))
  assert.isNaN(ticksOf(gold, 3_411.2000000001))
  assert.isNaN(ticksOf(gold, Infinity))
})

test("returns Infinity, not NaN, for a number that is too large to count in ticks or lots", () => {
  for (const listed of initialInstruments) {
    for (const decimal of [9.1e7, 1e16, 3e17, 1.7e300]) {
      assert.strictEqual(ticksOf(listed, decimal), Infinity)
      assert.strictEqual(lotsOf(listed, decimal), Infinity)
      assert.strictEqual(ticksOf(listed, -decimal), -Infinity)
    }
    assert.isTrue(Number.isInteger(lotsOf(listed, 9e7)), listed.symbol)
  }
})

test("converts a quantity to lots, and returns NaN for a quantity between two lots", () => {
  const eur = instrument("EUR-USD")
  assert.strictEqual(lotsOf(eur, 100_000), 100_000)
  assert.isNaN(lotsOf(eur, 0.5))
})

test("converts ticks and lots back to the client's decimals", () => {
  assert.strictEqual(priceOf(instrument("EUR-USD"), 108_501), 1.08501)
  assert.strictEqual(quantityOf(instrument("US500-USD"), 12_345), 1.2345)
})

test("in every listed contract, one lot at one tick is worth a multiple of 1e-6 USD", () => {
  for (const listed of initialInstruments) {
    assert.isTrue(Number.isInteger(listed.tickLotMicros), listed.symbol)
    assert.isAtLeast(listed.tickLotMicros, 1)
    assert.isTrue(Number.isInteger(listed.minQuantityLots) && Number.isInteger(listed.maxQuantityLots), listed.symbol)
  }
})

test("50 AAPL at a price of 204 are worth 10,200 USD", () => {
  const aapl = instrument("AAPL-USD")
  assert.strictEqual(notional(aapl, ticksOf(aapl, 204), lotsOf(aapl, 50)), 10_200_000_000)
})

test("prints prices and quantities with as many decimals as their increment has", () => {
  assert.deepStrictEqual(
    ["AAPL-USD", "US500-USD", "EUR-USD"].map((name) => [
      priceDecimals(instrument(name)),
      quantityDecimals(instrument(name))
    ]),
    [
      [2, 3],
      [1, 4],
      [5, 0]
    ]
  )
})

test("lists contracts with unique symbols and ids, and with the published maximum leverage of each product class", () => {
  assert.strictEqual(new Set(initialInstruments.map(({ symbol }) => symbol)).size, initialInstruments.length)
  assert.strictEqual(new Set(initialInstruments.map(({ clobPairId }) => clobPairId)).size, initialInstruments.length)
  assert.deepStrictEqual(
    ["AAPL-USD", "US100-USD", "GOLD-USD", "SILVER-USD", "EUR-USD"].map((name) => instrument(name).maxLeverage),
    [10, 30, 30, 20, 50]
  )
})
