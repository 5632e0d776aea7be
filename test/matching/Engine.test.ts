/** Orders, cancels and closes in one market. */
import { AccountId } from "@venue/domain/AccountId"
import { orderIdFrom } from "@venue/domain/OrderId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { eventOf, lots, orderIdOf, Scene, ticks, told } from "./EngineScene.ts"

describe("matching of orders", () => {
  it("I23: an order trades at the resting orders' prices, best price first and, at one price, oldest order first", () => {
    const scene = new Scene()
    scene.sell(1, 200.1, { account: "late" })
    scene.sell(1, 200.05, { account: "first" })
    scene.sell(1, 200.05, { account: "second" })
    assert.deepStrictEqual(told(scene.buy(2.5, 200.2)), [
      "Accepted",
      "Traded 1 @ 200.05 first",
      "Traded 1 @ 200.05 second",
      "Traded 0.5 @ 200.1 late"
    ])
    assert.deepStrictEqual(scene.levels(), ["SELL 0.5 @ 200.1"])
  })

  it("I21: both sides of a trade report the same quantity, their own remaining quantity, and different order ids", () => {
    const scene = new Scene()
    scene.sell(4, 200, { account: "bob" })
    const events = [...scene.buy(1, 200), ...scene.buy(3, 200)]
    const trades = events.filter((event) => event._tag === "Traded")
    assert.deepStrictEqual(
      trades.map(({ maker, number, quantityLots, taker }) => [
        number,
        quantityLots,
        maker.order.remainingLots,
        taker.order.remainingLots
      ]),
      [
        [1, 1000, 3000, 0],
        [2, 3000, 0, 0]
      ]
    )
    assert.notStrictEqual(trades[0]!.tradeId.text, trades[1]!.tradeId.text)
    assert.match(trades[0]!.tradeId.text, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it("the maker pays the fee rate stored with its order, the taker its own rate, and both fees are rounded up", () => {
    const scene = new Scene()
    scene.sell(50, 204, { account: "bob", makerRate: 20_000 })
    const traded = eventOf(scene.buy(50, 204, { takerRate: 80_000 }), "Traded")
    assert.strictEqual(traded.notional, 10_200_000_000)
    assert.strictEqual(traded.maker.fee, 2_040_000)
    assert.strictEqual(traded.taker.fee, 8_160_000)
  })

  it("a fill uses margin at the order's leverage, and only for the lots that increase the position", () => {
    const scene = new Scene()
    const used = (side: "BUY" | "SELL", quantity: number, ask: { leverage?: number; house?: number }) => {
      scene.place(side === "BUY" ? "SELL" : "BUY", quantity, 200.01, { account: "house", leverage: ask.house ?? 10 })
      const { maker, taker } = eventOf(scene.place(side, quantity, 200.01, { leverage: ask.leverage ?? 10 }), "Traded")
      return [taker.marginUsed, maker.marginUsed]
    }
    assert.deepStrictEqual(used("BUY", 3, { leverage: 7, house: 4 }), [85_718_572, 150_007_500])
    assert.deepStrictEqual(used("SELL", 1, {}), [0, 0])
    assert.deepStrictEqual(used("SELL", 5, { leverage: 10, house: 1 }), [60_003_000, 600_030_000])
  })

  it("self-trade prevention cancels the user's resting order even in another account, and the incoming order continues", () => {
    const scene = new Scene()
    scene.sell(5, 200, { account: "alice" })
    scene.sell(4, 200.05, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(8, 200.1, { account: "alice-2", user: "alice" })), [
      "Accepted",
      "CANCELLED_STP 5 alice",
      "Traded 4 @ 200.05 bob"
    ])
    assert.deepStrictEqual(scene.levels(), ["BUY 4 @ 200.1"])
  })

  it("the unfilled quantity of an IOC order is cancelled after matching", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.buy(1, 200, { timeInForce: "IOC" })), ["Accepted", "IOC_CANCELLED 1 alice"])
    scene.sell(1, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(3, 200, { timeInForce: "IOC" })), [
      "Accepted",
      "Traded 1 @ 200 bob",
      "IOC_PARTIALLY_FILLED 2 alice"
    ])
  })

  it("a FOK order is cancelled unless other users' orders can fill it completely", () => {
    const scene = new Scene()
    scene.sell(2, 200, { account: "bob" })
    scene.sell(2, 200.1, { account: "alice" })
    scene.sell(2, 200.2, { account: "bob" })
    const before = scene.levels()
    assert.deepStrictEqual(told(scene.buy(5, 200.2, { timeInForce: "FOK" })), ["Accepted", "CANCELLED 5 alice"])
    assert.deepStrictEqual(scene.levels(), before)
    assert.deepStrictEqual(told(scene.buy(4, 200.2, { timeInForce: "FOK" })), [
      "Accepted",
      "Traded 2 @ 200 bob",
      "CANCELLED_STP 2 alice",
      "Traded 2 @ 200.2 bob"
    ])
  })

  it("a MARKET order does not trade at prices beyond the edge of the band", () => {
    const scene = new Scene()
    scene.sell(1, 220, { account: "bob" })
    scene.sell(1, 220.01, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(2, 0, { type: "MARKET", timeInForce: "IOC" })), [
      "Accepted",
      "Traded 1 @ 220 bob",
      "IOC_PARTIALLY_FILLED 1 alice"
    ])
  })

  it("an ALO order is cancelled if it would match, and rests otherwise", () => {
    const scene = new Scene()
    scene.sell(1, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(1, 200, { type: "ALO" })), ["Accepted", "CANCELLED 1 alice"])
    assert.deepStrictEqual(told(scene.buy(1, 199.99, { type: "ALO" })), ["Accepted"])
    assert.deepStrictEqual(scene.levels(), ["BUY 1 @ 199.99", "SELL 1 @ 200"])
  })

  it("each price level that a command changed is returned once, with its new total", () => {
    const scene = new Scene()
    scene.sell(1, 200, { account: "bob" })
    scene.sell(2, 200, { account: "bob" })
    scene.buy(1, 199)
    assert.deepStrictEqual(Engine.touched(scene.engine), [
      { side: "BUY", priceTicks: ticks(199), quantityLots: lots(1) },
      { side: "SELL", priceTicks: ticks(200), quantityLots: lots(3) }
    ])
    scene.buy(3, 200)
    assert.deepStrictEqual(Engine.touched(scene.engine), [{ side: "SELL", priceTicks: ticks(200), quantityLots: 0 }])
    assert.deepStrictEqual(Engine.touched(scene.engine), [])
  })
})

describe("cancels", () => {
  it("a cancel by order id cancels one order of the sender's account and reports success", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(1, 199))
    assert.deepStrictEqual(told(scene.cancel(orderId, { account: "bob" })), ["NO_SUCH_ORDER"])
    const events = scene.cancel(orderId)
    assert.deepStrictEqual(told(events), ["CANCELLED 1 alice", "Done"])
    assert.strictEqual(eventOf(events, "Ended").commandId, eventOf(events, "Done").commandId)
  })

  it("a cancel by client order id cancels all of the account's matching orders, oldest first", () => {
    const scene = new Scene()
    scene.buy(1, 199, { clientOrderId: "twin" })
    scene.buy(2, 198, { clientOrderId: "twin" })
    scene.buy(3, 197, { clientOrderId: "other" })
    scene.buy(4, 196, { account: "bob", clientOrderId: "twin" })
    assert.deepStrictEqual(told(scene.cancelNamed("twin")), ["CANCELLED 1 alice", "CANCELLED 2 alice", "Done"])
    assert.deepStrictEqual(scene.levels(), ["BUY 3 @ 197", "BUY 4 @ 196"])
  })

  it("a cancel without a matching order is refused and echoes the requested id", () => {
    const scene = new Scene()
    const byOrder = eventOf(scene.cancel(orderIdFrom(id("no-such"))), "Refused")
    const byClient = eventOf(scene.cancelNamed("no-such"), "Refused")
    const empty = { side: null, type: null, timeInForce: null, price: 0, quantity: 0, reduceOnly: false }
    assert.deepStrictEqual(byOrder.echo, { ...empty, orderId: id("no-such").text, clientOrderId: "" })
    assert.deepStrictEqual(byClient.echo, { ...empty, orderId: "", clientOrderId: "no-such" })
  })

  it("a cancel of all orders succeeds even if there are no orders", () => {
    const scene = new Scene()
    scene.buy(1, 199)
    scene.sell(2, 201)
    scene.buy(3, 198, { account: "bob" })
    assert.deepStrictEqual(told(scene.cancelAll()), ["CANCELLED 1 alice", "CANCELLED 2 alice", "Done"])
    assert.deepStrictEqual(told(scene.cancelAll()), ["Done"])
    assert.deepStrictEqual(scene.levels(), ["BUY 3 @ 198"])
  })

  it("I34: a cancel of all orders keeps the excepted orders only if its cause is a lost connection", () => {
    const scene = new Scene()
    const [, spared, , grown] = [199, 198, 197, 196].map((price) => orderIdOf(scene.buy(1, price)))
    scene.modify(grown!, { priceTicks: 0, quantityLots: 2000 })
    const except = [spared!, grown!, orderIdOf(scene.buy(1, 195, { account: "bob" })), orderIdFrom(id("no-such"))]
    assert.deepStrictEqual(told(scene.cancelAll({ cause: "DISCONNECT", except })), [
      "CANCELLED 1 alice",
      "CANCELLED 1 alice",
      "Done"
    ])
    assert.deepStrictEqual(scene.levels(), ["BUY 1 @ 198", "BUY 2 @ 196", "BUY 1 @ 195"])
    assert.deepStrictEqual(told(scene.cancelAll({ except })), ["CANCELLED 1 alice", "CANCELLED 2 alice", "Done"])
  })

  it("I22 I35: a filled or cancelled order no longer trades or changes", () => {
    const scene = new Scene()
    const cancelled = orderIdOf(scene.sell(1, 200, { account: "bob" }))
    scene.cancel(cancelled, { account: "bob" })
    const filled = orderIdOf(scene.sell(1, 200, { account: "bob" }))
    assert.deepStrictEqual(told(scene.buy(2, 200)), ["Accepted", "Traded 1 @ 200 bob"])
    for (const orderId of [cancelled, filled]) {
      assert.deepStrictEqual(told(scene.cancel(orderId, { account: "bob" })), ["NO_SUCH_ORDER"])
      assert.deepStrictEqual(told(scene.modify(orderId, { account: "bob", side: "SELL", priceTicks: ticks(201) })), [
        "CANNOT_MODIFY_NO_SUCH_ORDER"
      ])
    }
  })
})

describe("closing a position", () => {
  it("a close of a long position is an IOC sell of the whole position, down to 5 % below the mark", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.buy(3, 190, { account: "bob" })
    scene.buy(9, 189.99, { account: "bob" })
    const events = scene.close({ clientOrderId: "flat" })
    assert.deepStrictEqual(told(events), ["Accepted", "Traded 3 @ 190 bob", "IOC_PARTIALLY_FILLED 2 alice"])
    assert.deepInclude(eventOf(events, "Accepted").order, {
      side: "SELL",
      type: "LIMIT",
      timeInForce: "IOC",
      priceTicks: ticks(190),
      quantityLots: lots(5),
      reduceOnly: true,
      clientOrderId: "flat",
      origin: "CLOSE_POSITION"
    })
  })

  it("a close does not trade beyond the edge of the price band if that is nearer than 5 %", () => {
    const scene = new Scene()
    scene.hold("alice", -5)
    const saturday = scene.now + 24 * 3_600_000
    scene.now = saturday
    scene.ask({ _tag: "Observe", priceE8: 200.37e8, teller: "operator" })
    const prices = Engine.prices(scene.engine)!
    assert.strictEqual(eventOf(scene.close(), "Accepted").order.priceTicks, prices.upperTicks)
  })

  it("a close without a position is refused and echoes a quantity of 0", () => {
    const { echo, status } = eventOf(new Scene().close({ clientOrderId: "flat" }), "Refused")
    assert.strictEqual(status, "REJECTED")
    assert.deepStrictEqual([echo.quantity, echo.clientOrderId], [0, "flat"])
  })
})

describe("the market's own ledger", () => {
  it("I24 I25 I26: positions sum to zero, cash including the venue's fees sums to zero, and the book is never crossed", () => {
    const scene = new Scene()
    scene.hold("alice", 3, 200.13)
    scene.hold("bob", -7, 199.87)
    scene.hold("alice", -5, 201.01)
    const totals = Engine.totals(scene.engine)
    assert.strictEqual(totals.positions, 0)
    assert.strictEqual(totals.cash, 0)
    assert.isAbove(totals.venueFees, 0)
    const accounts = ["alice", "bob", "house"].map(
      (account) => Engine.view(scene.engine, AccountId.make(account)).position
    )
    assert.strictEqual(
      accounts.reduce((sum, { quantityLots }) => sum + quantityLots, 0),
      0
    )
    assert.strictEqual(
      accounts.reduce((sum, { cashFlow, fees }) => sum + cashFlow - fees, totals.venueFees),
      0
    )
    // Realised profit is cash flow plus the cost basis of the open position; over all accounts it sums to zero.
    assert.strictEqual(
      accounts.reduce((sum, { basis, cashFlow }) => sum + cashFlow + basis, 0),
      totals.basis
    )
    assert.strictEqual(
      Engine.openInterest(scene.engine),
      accounts.reduce((sum, { quantityLots }) => sum + Math.max(0, quantityLots), 0)
    )
  })

  it("a fill reports its realised profit without deducting its fee", () => {
    const scene = new Scene()
    scene.hold("alice", 5, 200)
    scene.buy(5, 204, { account: "bob" })
    const traded = eventOf(scene.sell(5, 204), "Traded")
    assert.strictEqual(traded.taker.realised, 20_000_000)
    assert.strictEqual(traded.maker.realised, 0)
  })
})
