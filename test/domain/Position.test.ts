/** Tests of one account's position in one market, fill by fill. */
import { feeOf } from "@venue/domain/Fee"
import { notional, initialInstruments } from "@venue/domain/Instrument"
import type { Side } from "@venue/domain/Order"
import { fill, flat, type Position, realised, unrealised } from "@venue/domain/Position"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"

const aapl = initialInstruments.find(({ symbol }) => symbol === "AAPL-USD")!
const lots = (units: number) => units * 1_000
const ticks = (price: number) => price * 100
const trade = (position: Position, side: Side, units: number, price: number, fee = 0) =>
  fill(position, side, lots(units), notional(aapl, ticks(price), lots(units)), fee)

test("the average price of 50 units at 200 and 20 units at 198 is 199.428571", () => {
  const position = flat()
  trade(position, "BUY", 50, 200)
  trade(position, "BUY", 20, 198)
  assert.strictEqual((position.basis / position.quantityLots / 1_000).toFixed(6), "199.428571")
})

test("a short position of 2 at 180 has a profit of 8 at a mark of 176", () => {
  const position = flat()
  trade(position, "SELL", 2, 180)
  assert.strictEqual(unrealised(position, -352_000_000n), 8_000_000n)
})

test("a fill that reduces a position realises profit and keeps the average price", () => {
  const position = flat()
  trade(position, "BUY", 50, 200)
  assert.strictEqual(trade(position, "SELL", 20, 204), 80_000_000)
  assert.strictEqual(position.basis / position.quantityLots, 200_000)
  assert.strictEqual(realised(position), 80_000_000)
})

test("a long position of 5 at 250 that is sold at 243.70 realises a loss of 31.50", () => {
  const position = flat()
  trade(position, "BUY", 5, 250)
  assert.strictEqual(trade(position, "SELL", 5, 243.7), -31_500_000)
  assert.strictEqual(position.basis, 0)
})

test("a fill that reverses a position opens the new side at the fill's price", () => {
  const position = flat()
  trade(position, "BUY", 2, 200)
  assert.strictEqual(trade(position, "SELL", 5, 210), 20_000_000)
  assert.strictEqual(position.quantityLots, -3_000)
  assert.strictEqual(position.basis, -630_000_000)
})

test("counts fees separately from profit", () => {
  const position = flat()
  trade(position, "BUY", 50, 204, feeOf(10_200_000_000, 100_000))
  assert.strictEqual(position.fees, 10_200_000)
  assert.strictEqual(realised(position), 0)
})

test("throws an error instead of rounding if an amount exceeds 2^53", () => {
  const position = flat()
  assert.throws(() => {
    for (let index = 0; index < 3; index++) fill(position, "BUY", 1, 4e15, 0)
  }, RangeError)
})

test("I10: after any fills, cash flow plus cost basis equals the realised profit", () => {
  const fills = FastCheck.array(
    FastCheck.record({
      side: FastCheck.constantFrom<Side>("BUY", "SELL"),
      lots: FastCheck.integer({ min: 1, max: 50 }),
      ticks: FastCheck.integer({ min: 15_000, max: 25_000 })
    }),
    { maxLength: 40 }
  )
  FastCheck.assert(
    FastCheck.property(fills, (all) => {
      const position = flat()
      let taken = 0
      let cash = 0
      let quantity = 0
      for (const { lots, side, ticks } of all) {
        const value = notional(aapl, ticks, lots)
        taken += fill(position, side, lots, value, 0)
        cash += side === "BUY" ? -value : value
        quantity += side === "BUY" ? lots : -lots
        assert.strictEqual(position.quantityLots, quantity)
        assert.strictEqual(position.cashFlow, cash)
        assert.strictEqual(realised(position), taken)
        assert.isTrue(quantity === 0 ? position.basis === 0 : Math.sign(position.basis) === Math.sign(quantity))
      }
    })
  )
})
