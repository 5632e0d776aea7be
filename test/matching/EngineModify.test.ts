/** Modifies: changes, kept members and refusals. */
import { noEcho } from "@venue/domain/Echo"
import { orderIdFrom } from "@venue/domain/OrderId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { eventOf, lots, orderIdOf, Scene, ticks, told } from "./EngineScene.ts"

describe("modifies", () => {
  it("a modify that only reduces the quantity keeps the order's priority", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199, { account: "first" }))
    scene.buy(3, 199, { account: "second" })
    assert.deepStrictEqual(told(scene.modify(orderId, { account: "first", quantityLots: lots(2) })), [
      "Modified 2 @ 199",
      "Done"
    ])
    assert.deepStrictEqual(told(scene.sell(2, 199)), ["Accepted", "Traded 2 @ 199 first"])
  })

  it("a modify that increases the quantity moves the order to the back of the queue at its price", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199, { account: "first" }))
    scene.buy(3, 199, { account: "second" })
    assert.deepStrictEqual(told(scene.modify(orderId, { account: "first", quantityLots: lots(4) })), [
      "Modified 4 @ 199 requeued",
      "Done"
    ])
    assert.deepStrictEqual(told(scene.sell(3, 199)), ["Accepted", "Traded 3 @ 199 second"])
  })

  it("a modify of the price moves the order to the back of the queue at the new price and keeps its ids", () => {
    const scene = new Scene()
    scene.buy(1, 198, { account: "second" })
    const orderId = orderIdOf(scene.buy(1, 199, { clientOrderId: "mm-7" }))
    assert.deepInclude(eventOf(scene.modify(orderId, { priceTicks: ticks(198) }), "Modified").order, {
      orderId,
      clientOrderId: "mm-7"
    })
    assert.deepStrictEqual(scene.levels(), ["BUY 2 @ 198"])
    assert.deepStrictEqual(told(scene.sell(1, 198, { account: "bob" })), ["Accepted", "Traded 1 @ 198 second"])
  })

  it("a modify without a change succeeds and keeps the order's priority", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(1, 199))
    assert.deepStrictEqual(told(scene.modify(orderId)), ["Modified 1 @ 199", "Done"])
  })

  it("a modify to a crossing price trades at the modify's own fee rate, and the remainder rests at the new price", () => {
    const scene = new Scene()
    scene.sell(1, 200, { account: "bob" })
    const orderId = orderIdOf(scene.buy(3, 199))
    const events = scene.modify(orderId, { priceTicks: ticks(200.5), takerRate: 80_000 })
    assert.deepStrictEqual(told(events), ["Modified 3 @ 200.5 requeued", "Traded 1 @ 200 bob", "Done"])
    const traded = eventOf(events, "Traded")
    assert.deepStrictEqual([traded.taker.fee, traded.taker.order.remainingLots], [160_000, lots(2)])
    assert.deepStrictEqual(scene.levels(), ["BUY 2 @ 200.5"])
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 2 of 3 @ 200.5"])
  })

  it("a crossing modify that fills completely removes the order, and cancels the user's own orders that it would match", () => {
    const scene = new Scene()
    scene.sell(1, 200, { account: "alice-2", user: "alice" })
    scene.sell(3, 200.1, { account: "bob" })
    const orderId = orderIdOf(scene.buy(3, 199))
    assert.deepStrictEqual(told(scene.modify(orderId, { priceTicks: ticks(200.1) })), [
      "Modified 3 @ 200.1 requeued",
      "CANCELLED_STP 1 alice-2",
      "Traded 3 @ 200.1 bob",
      "Done"
    ])
    assert.deepStrictEqual(scene.levels(), [])
    assert.deepStrictEqual(told(scene.cancel(orderId)), ["NO_SUCH_ORDER"])
  })

  it("rejects a modify of an unknown order or another user's order, and a modify of side, type or reduce-only", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(1, 199))
    for (const over of [{ side: "SELL" }, { type: "ALO" }, { reduceOnly: true }, { account: "bob" }] as const) {
      assert.deepStrictEqual(told(scene.modify(orderId, { ...over, priceTicks: ticks(198) })), [
        "CANNOT_MODIFY_NO_SUCH_ORDER"
      ])
    }
    const noSuch = orderIdFrom(id("no-such"))
    assert.strictEqual(eventOf(scene.modify(noSuch, { priceTicks: ticks(198) }), "Refused").echo.orderId, noSuch.text)
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 1 of 1 @ 199"])
  })

  it("a refused modify echoes the sender's order with its client id, and reveals nothing about another user's order", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(1, 199, { clientOrderId: "mine" }))
    const own = { orderId: orderId.text, timeInForce: "GTC", clientOrderId: "mine" } as const
    const byMarket = scene.modify(orderId, { priceTicks: ticks(1) })
    const expired = scene.modify(orderId, { priceTicks: ticks(198), expires: -1 })
    const echo = { ...noEcho, orderId: orderId.text, side: "BUY", type: "LIMIT", price: 198.001 } as const
    const status = "INVALID_TICK_SIZE_PRECISION_PRICE"
    const byDesk = scene.ask({ _tag: "Refuse", ...scene.envelope({}), status, echo })
    const cancel = scene.cancel(orderId, { expires: -1 })
    for (const events of [byMarket, expired, byDesk, cancel]) {
      assert.deepInclude(eventOf(events, "Refused").echo, { ...own, side: "BUY", type: "LIMIT" })
    }
    const foreign = eventOf(scene.modify(orderId, { account: "bob" }), "Refused").echo
    assert.deepInclude(foreign, { orderId: orderId.text, timeInForce: null, clientOrderId: "" })
  })

  it("rejects a modify of a partly filled order", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(2, 199))
    scene.sell(1, 199, { account: "bob" })
    assert.deepStrictEqual(told(scene.modify(orderId, { priceTicks: ticks(198) })), ["CANNOT_MODIFY_PARTIAL_FILL"])
  })

  it("rejects a modify of an ALO order to a crossing price, and keeps the order unchanged", () => {
    const scene = new Scene()
    scene.sell(1, 200, { account: "bob" })
    const orderId = orderIdOf(scene.buy(1, 199, { type: "ALO" }))
    assert.deepStrictEqual(told(scene.modify(orderId, { type: "ALO", priceTicks: ticks(200) })), [
      "CANNOT_MODIFY_ALO_WOULD_CROSS"
    ])
    assert.deepStrictEqual(told(scene.modify(orderId, { type: "ALO", priceTicks: ticks(199.99) })), [
      "Modified 1 @ 199.99 requeued",
      "Done"
    ])
  })

  it("a modify must pass a new order's checks, except the open-order limit, and its old quantity is ignored", () => {
    const scene = new Scene(200, { maxOpenOrders: 1 })
    const orderId = orderIdOf(scene.buy(10, 199))
    const limit = { maxNotional: 2_000_000_000 }
    const refusals = [
      [{ priceTicks: ticks(220.01) }, "PRICE_GREATER_THAN_MAX_PRICE"],
      [{ priceTicks: ticks(139) }, "PRICE_LESS_THAN_MIN_PRICE"],
      [{ quantityLots: lots(0.05) }, "REJECTED_LESS_THAN_MIN_NOTIONAL"],
      [{ quantityLots: lots(10.001), ...limit }, "REJECTED_WOULD_BREACH_MAX_NOTIONAL"],
      [{ quantityLots: lots(9), finding: "FAILED_MARGIN_CHECK" }, "FAILED_MARGIN_CHECK"]
    ] as const
    for (const [over, status] of refusals) assert.deepStrictEqual(told(scene.modify(orderId, over)), [status])
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 10 of 10 @ 199"])
    assert.deepStrictEqual(told(scene.modify(orderId, { priceTicks: ticks(198), ...limit })), [
      "Modified 10 @ 198 requeued",
      "Done"
    ])
  })

  it("records exactly one outcome for a modify, whether it succeeds or is refused", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(1, 199))
    scene.modify(orderId, { id: id("good"), priceTicks: ticks(198) })
    scene.modify(orderId, { id: id("bad"), priceTicks: ticks(300) })
    assert.strictEqual(Engine.outcome(scene.engine, id("good")), "DONE")
    assert.strictEqual(Engine.outcome(scene.engine, id("bad")), "PRICE_GREATER_THAN_MAX_PRICE")
    assert.deepStrictEqual(scene.modify(orderId, { id: id("good"), priceTicks: ticks(197) }), [])
    assert.deepStrictEqual(scene.levels(), ["BUY 1 @ 198"])
  })
})
