/** Tests of the margin of positions and orders, and of the margin check of new orders (rule 7). */
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Priced } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { id } from "../Id.ts"
import { aapl, gold, alice, make, pricedAt, usd } from "./Scene.ts"

/** Long 50 AAPL at 200, mark 204, leverage 10. */
const longFifty = (deposit = 5_000) => {
  const scene = make()
  scene.credit(deposit)
  scene.price(aapl, 204)
  scene.hold(50, 200)
  return scene
}

test("holds margin of 1,020 for 50 AAPL at a mark of 204 and 10x", () => {
  assert.strictEqual(longFifty().balance().positionMargin, usd(1_020))
})

test("holds margin of 396 for a buy of 20 at 198 and a sell of 30 at 210 beside a long of 50", () => {
  const scene = longFifty()
  scene.accept(scene.placed("BUY", 20, 198))
  scene.accept(scene.placed("SELL", 30, 210))
  assert.strictEqual(scene.balance().orderMargin, usd(396))
})

test("still holds margin of 396 with a sell of 60 at 210, because only the larger side counts", () => {
  const scene = longFifty()
  scene.accept(scene.placed("BUY", 20, 198))
  scene.accept(scene.placed("SELL", 60, 210))
  assert.strictEqual(scene.balance().orderMargin, usd(396))
})

test("adds the open loss of a buy above the mark, so that 20 at 206 hold margin of 452", () => {
  const scene = longFifty()
  scene.accept(scene.placed("BUY", 20, 206))
  scene.accept(scene.placed("SELL", 30, 210))
  assert.strictEqual(scene.balance().orderMargin, usd(452))
})

test("values a MARKET buy at the edge of the band, so that 20 units hold margin of 856.80", () => {
  const scene = longFifty()
  const command = scene.placed("BUY", 20, 0, scene.market)
  assert.strictEqual(scene.balance().orderMargin, usd(856.8))
  scene.accept(command)
  assert.strictEqual(scene.balance().orderMargin, usd(856.8))
})

test("for a short, counts sells completely and buys only beyond the position", () => {
  const scene = make()
  scene.credit(5_000)
  scene.price(aapl, 204)
  scene.hold(-50, 208)
  scene.accept(scene.placed("SELL", 20, 210))
  scene.accept(scene.placed("BUY", 90, 198))
  // Sells are worth 4,200, buys 17,820 - 10,200.
  assert.strictEqual(scene.balance().orderMargin, usd(762))
})

test("updates the open loss of a resting order with the mark", () => {
  const scene = longFifty()
  scene.accept(scene.placed("BUY", 20, 198))
  scene.price(aapl, 196)
  assert.strictEqual(scene.balance().orderMargin, usd(396 + 40))
  scene.price(aapl, 199)
  assert.strictEqual(scene.balance().orderMargin, usd(396))
})

test("holds no margin for reduce-only orders", () => {
  const scene = longFifty()
  scene.accept(scene.placed("SELL", 50, 190, { reduceOnly: true }))
  assert.strictEqual(scene.balance().orderMargin, 0n)
})

test("rounds margins up", () => {
  const scene = make()
  scene.credit(100)
  scene.price(aapl, 200.00000001)
  scene.hold(0.1, 200)
  // 20.000000001 at 10x is 2.0000000001.
  assert.strictEqual(scene.balance().positionMargin, 2_000_001n)
})

test("I27: accepts an order if exactly its fee remains available, and refuses the order with one cent less", () => {
  // 1 at 200: margin 20, taker fee 0.20.
  for (const [deposit, finding] of [
    [20.2, null],
    [20.199999, "FAILED_MARGIN_CHECK"]
  ] as const) {
    const scene = make()
    scene.credit(deposit)
    scene.price(aapl, 200)
    assert.strictEqual(scene.placed("BUY", 1, 200).finding, finding)
    assert.strictEqual(scene.balance().orderMargin, finding === null ? usd(20) : 0n)
  }
})

test("I27: includes in-flight orders in the margin check of the next order", () => {
  const scene = make()
  scene.credit(41)
  scene.price(aapl, 200)
  assert.isNull(scene.placed("BUY", 1, 200).finding)
  assert.isNull(scene.placed("BUY", 1, 200).finding)
  assert.strictEqual(scene.placed("BUY", 1, 200).finding, "FAILED_MARGIN_CHECK")
  assert.strictEqual(scene.balance().available, usd(1))
})

test("all symbols of an account share its margin", () => {
  const scene = make()
  scene.credit(100)
  scene.price(aapl, 200)
  scene.price(MarketSymbol.make("MSFT-USD"), 400)
  assert.isNull(scene.placed("BUY", 4, 200).finding)
  assert.strictEqual(
    scene.placed("BUY", 1, 400, { symbol: MarketSymbol.make("MSFT-USD") }).finding,
    "FAILED_MARGIN_CHECK"
  )
})

test("an order on the smaller side holds margin only for the part that exceeds the larger side", () => {
  const scene = make()
  scene.credit(21)
  scene.price(aapl, 200)
  assert.isNull(scene.placed("BUY", 1, 200).finding)
  assert.isNull(scene.placed("SELL", 1, 200).finding)
  assert.strictEqual(scene.balance().orderMargin, usd(20))
})

test("skips the margin check for an order that only reduces, even if nothing is available", () => {
  const scene = longFifty(1_200)
  scene.price(aapl, 195)
  assert.isTrue(scene.balance().available < 0n)
  assert.isNull(scene.placed("SELL", 30, 195).finding)
  assert.isNull(scene.placed("SELL", 20, 195).finding)
  assert.strictEqual(scene.placed("SELL", 0.1, 195).finding, "FAILED_MARGIN_CHECK")
  assert.isNull(scene.placed("SELL", 20, 195, { reduceOnly: true }).finding)
})

test("with a deposit of 1,100 and 50 bought at 200, refuses a reducing order beyond the bankruptcy price of 178", () => {
  for (const more of [{}, { reduceOnly: true }]) {
    const scene = make()
    scene.credit(1_100)
    scene.price(aapl, 190)
    scene.hold(50, 200)
    assert.isNull(scene.placed("SELL", 10, 178, more).finding)
    assert.strictEqual(scene.placed("SELL", 10, 177.99, more).finding, "FAILED_MARGIN_CHECK")
  }
})

test("places the bankruptcy price of a short above the mark", () => {
  const scene = make()
  scene.credit(1_100)
  scene.price(aapl, 210)
  scene.hold(-50, 200)
  assert.isNull(scene.placed("BUY", 10, 222, { reduceOnly: true }).finding)
  assert.strictEqual(scene.placed("BUY", 10, 222.01, { reduceOnly: true }).finding, "FAILED_MARGIN_CHECK")
})

test("rule 7.6: sends a reducing MARKET order at the bankruptcy price instead of refusing it", () => {
  const sent = (deposit: number, units: number, quantity: number, more: object = {}) => {
    const scene = make()
    scene.credit(deposit)
    scene.price(aapl, 200)
    scene.hold(units, 200)
    const side = units > 0 ? "SELL" : "BUY"
    const { finding, priceTicks } = scene.placed(side, quantity, 0, { ...scene.market, ...more })
    return [priceTicks, finding]
  }
  // Equity per unit: 1,100 over 50 units is 22, and 499 is 9.98.
  for (const [quantity, more] of [
    [50, {}],
    [10, {}],
    [60, { reduceOnly: true }]
  ] as const) {
    assert.deepEqual(sent(1_100, 50, quantity, more), [17_800, null])
    assert.deepEqual(sent(499, 50, quantity, more), [19_002, null])
    assert.deepEqual(sent(499, -50, quantity, more), [20_998, null])
  }
  // A fully paid long has no bankruptcy price. An order that reverses the position needs margin instead.
  assert.deepEqual(sent(10_000, 50, 50), [0, null])
  assert.deepEqual(sent(999, 50, 60), [0, "FAILED_MARGIN_CHECK"])
})

test("rule 7.6: sends a MARKET order with a price of one tick for a short that is in debt at every price", () => {
  const scene = make()
  scene.price(aapl, 200)
  scene.price(gold, 3_400)
  scene.hold(-5, 200)
  scene.hold(1, 4_400, gold)
  assert.deepInclude(scene.placed("BUY", 5, 0, scene.market), { priceTicks: 1, finding: null })
})

test("sends a close at the bankruptcy price if the market's price would be worse", () => {
  const close = (deposit: number, units = 50, bounds: Partial<Priced> = {}): object => {
    const scene = make()
    scene.credit(deposit)
    scene.prices.set(aapl, { ...pricedAt(aapl, 200), ...bounds })
    scene.hold(units, 200)
    return Ledger.enter(
      scene.trader,
      {
        _tag: "ClosePosition",
        commandId: id("close"),
        expiresAtMillis: 0,
        accountId: primaryAccountOf(alice),
        symbol: aapl,
        clientOrderId: "",
        builderCode: ""
      },
      1
    )
  }
  assert.deepInclude(close(500), { _tag: "Close", finding: null })
  const bounded = {
    _tag: "Place",
    type: "LIMIT",
    timeInForce: "IOC",
    reduceOnly: true,
    origin: "CLOSE_POSITION",
    quantityLots: 50_000
  }
  // 499 over 50 units is 9.98 each, so at 190.02 and 209.98 the equity is exactly zero.
  assert.deepInclude(close(499), { ...bounded, side: "SELL", priceTicks: 19_002 })
  assert.deepInclude(close(499, -50), { ...bounded, side: "BUY", priceTicks: 20_998 })
  // The market sets a close's price if the daily bounds keep it from passing the bankruptcy price.
  assert.deepInclude(close(499, 50, { minPriceTicks: 19_002 }), { _tag: "Close", finding: null })
  assert.deepInclude(close(499, -50, { maxPriceTicks: 20_998 }), { _tag: "Close", finding: null })
  assert.deepInclude(close(499, 50, { minPriceTicks: 19_001 }), { ...bounded, side: "SELL", priceTicks: 19_002 })
})

test("refuses a close because of its price if every valid price leaves debt", () => {
  const scene = make()
  scene.price(aapl, 200)
  scene.price(gold, 3_400)
  scene.hold(1, 4_400, gold)
  scene.hold(0.001, 200)
  assert.deepInclude(scene.closing(), { _tag: "Refuse", status: "PRICE_GREATER_THAN_MAX_PRICE" })
})

test("sends an order with the first tier's rates, the leverage, and the leverage's position limit", () => {
  const scene = make()
  scene.credit(100_000)
  scene.price(aapl, 200)
  scene.ask({ _tag: "SetLeverage", accountId: primaryAccountOf(alice), symbol: aapl, leverage: 5 })
  assert.deepInclude(scene.placed("BUY", 1, 200), {
    makerRate: 20_000,
    takerRate: 100_000,
    maxNotional: 3_750_000_000_000,
    leverage: 5
  })
})

test("an order at leverage 5 holds twice the margin of one at leverage 10", () => {
  const scene = make()
  scene.credit(1_000)
  scene.price(aapl, 200)
  scene.ask({ _tag: "SetLeverage", accountId: primaryAccountOf(alice), symbol: aapl, leverage: 5 })
  scene.placed("BUY", 10, 200)
  assert.strictEqual(scene.balance().orderMargin, usd(400))
})
