/** Stops wait until the mark reaches them, fire once, and close at most the position. */
import type { MarketEvent } from "@venue/domain/Market"
import { orderIdFrom } from "@venue/domain/OrderId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { assertDurable, eventOf, lots, orderIdOf, type PlaceAsk, Scene, ticks, told, usd } from "./EngineScene.ts"

const stopLoss = { type: "STOP_LOSS" } as const
const takeProfit = { type: "TAKE_PROFIT" } as const

const marked = (scene: Scene, price: number) =>
  told(scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "external" })).filter((said) => said !== "Priced")
const ticked = (scene: Scene) => told(scene.ask({ _tag: "Tick" })).filter((said) => said !== "Priced")

describe("rule 15.3: a stop fires when the mark reaches its price", () => {
  it("stop losses at 243.75 stay open at mark 243.76, and sell at 243.70 once the mark is 243.74", () => {
    const scene = new Scene(250)
    scene.hold("alice", 5, 250)
    scene.buy(5, 243.7, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(5, 243.75, { ...stopLoss, clientOrderId: "mine" })), ["StopPlaced"])
    scene.sell(5, 262.5, takeProfit)
    assert.deepStrictEqual(marked(scene, 243.76), [])
    const events = scene.ask({ _tag: "Observe", priceE8: usd(243.74), teller: "external" })
    assert.deepStrictEqual(told(events), ["Priced", "Triggered", "Traded 5 @ 243.7 bob", "CANCELLED 5 alice"])
    const { taker } = eventOf(events, "Traded")
    assert.strictEqual(taker.realised, -31_500_000)
    const placed = scene.events.find((event) => event._tag === "StopPlaced")!
    assert.deepInclude(taker.order, {
      orderId: placed.order.orderId,
      clientOrderId: "mine",
      type: "STOP_MARKET",
      timeInForce: "IOC",
      reduceOnly: true
    })
    assert.deepStrictEqual(scene.stops("alice"), [])
    assertDurable(scene)
  })

  it.each<[PlaceAsk, "BUY" | "SELL", number, number, number]>([
    [stopLoss, "SELL", 190, 190.01, 190],
    [takeProfit, "SELL", 210, 209.99, 210],
    [stopLoss, "BUY", 210, 209.99, 210],
    [takeProfit, "BUY", 190, 190.01, 190]
  ])("a $type stop to $1 at $2 stays open at mark $3 and fires at mark $4", (kind, side, price, before, at) => {
    const scene = new Scene()
    scene.hold("alice", side === "SELL" ? 5 : -5)
    scene.place(side, 5, price, kind)
    assert.deepStrictEqual(marked(scene, before), [])
    assert.deepStrictEqual(marked(scene, at), ["Triggered", "IOC_CANCELLED 5 alice"])
  })

  it("a stop whose condition already holds is accepted and fires at the next check of the mark", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    assert.deepStrictEqual(told(scene.sell(5, 201, stopLoss)), ["StopPlaced"])
    assertDurable(scene)
    assert.deepStrictEqual(ticked(scene), ["Triggered", "IOC_CANCELLED 5 alice"])
  })

  it("I30: a stop fires once, and a repeat of its command creates no second stop", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const command = scene.placing("SELL", 5, 199, stopLoss)
    scene.ask(command)
    assert.deepStrictEqual(marked(scene, 198), ["Triggered", "IOC_CANCELLED 5 alice"])
    assert.deepStrictEqual(told(scene.ask(command)), [])
    assert.deepStrictEqual(marked(scene, 200), [])
    assert.deepStrictEqual(marked(scene, 197), [])
    assertDurable(scene)
  })
})

describe("I29: a stale price fires no stop", () => {
  it("neither new nor due stops fire on a stale price; the next fresh price fires them", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.ask({ _tag: "Observe", priceE8: usd(200), teller: "external" })
    scene.sell(1, 201, { account: "bob" })
    scene.buy(1, 185, { account: "bob" })
    scene.sell(2, 199.5, stopLoss)
    scene.sell(3, 201, stopLoss)
    scene.now += 60_000
    for (let second = 0; second < 600; second++) {
      scene.now += 1_000
      scene.ask({ _tag: "Tick" })
    }
    assert.isBelow(Engine.prices(scene.engine)!.markE8, usd(199.5))
    assert.strictEqual(Engine.prices(scene.engine)!.source, "stale")
    assert.deepStrictEqual(triggered(scene.events), [])
    assertDurable(scene)
    assert.deepStrictEqual(marked(scene, 200), ["Triggered", "IOC_CANCELLED 3 alice"])
  })
})

describe("rule 15.4: several stops fire in the order in which the mark reaches them", () => {
  it("stops fire nearest first, and oldest first at the same price; a modified stop counts as newer", () => {
    const scene = new Scene()
    for (const account of ["ann", "ben", "cat", "dan"]) scene.hold(account, 1)
    const moved = eventOf(scene.sell(1, 195, { ...stopLoss, account: "ann" }), "StopPlaced").order.orderId
    scene.sell(1, 190, { ...stopLoss, account: "ben" })
    scene.sell(1, 192, { ...stopLoss, account: "cat" })
    scene.sell(1, 190, { ...stopLoss, account: "dan" })
    scene.modify(moved, { ...stopLoss, account: "ann", side: "SELL", priceTicks: ticks(190) })
    scene.ask({ _tag: "Observe", priceE8: usd(189), teller: "external" })
    assert.deepStrictEqual(triggered(scene.events), ["cat", "ben", "dan", "ann"])
    assertDurable(scene)
  })

  it("a due stop waits for the next tick if an earlier stop caused thousands of events", () => {
    const scene = new Scene()
    for (const account of ["ann", "ben"]) {
      scene.hold(account, 500)
      scene.sell(500, 195, { ...stopLoss, account })
    }
    for (let account = 0; account < 21; account++) {
      for (let order = 0; order < 200; order++) scene.buy(0.1, 189, { account: `b${account}` })
    }
    assert.deepStrictEqual(triggered(scene.ask({ _tag: "Observe", priceE8: usd(190), teller: "external" })), ["ann"])
    assert.isFalse(Engine.isIdle(scene.engine, scene.now))
    assert.deepStrictEqual(triggered(scene.ask({ _tag: "Tick" })), ["ben"])
    assertDurable(scene)
  })

  it("at most 256 stops fire in one tick, and the remaining due stops fire at the next ticks", () => {
    const scene = new Scene()
    for (let account = 0; account < 6; account++) {
      scene.hold(`a${account}`, 50)
      for (let stop = 0; stop < 50; stop++) scene.sell(1, 195 - account / 10, { ...stopLoss, account: `a${account}` })
    }
    assert.strictEqual(triggered(scene.ask({ _tag: "Observe", priceE8: usd(190), teller: "external" })).length, 256)
    assertDurable(scene)
    scene.cancelAll({ account: "a5" })
    scene.buy(4, 198, { account: "bob" })
    assert.deepStrictEqual(marked(scene, 200), [])
  })

  it("remaining due stops fire although the mark has reversed, and no new stops become due", () => {
    const scene = new Scene()
    for (let account = 0; account < 6; account++) {
      scene.hold(`a${account}`, 50)
      for (let stop = 0; stop < 50; stop++) scene.sell(1, 195, { ...stopLoss, account: `a${account}` })
    }
    scene.ask({ _tag: "Observe", priceE8: usd(190), teller: "external" })
    scene.hold("late", 1)
    scene.sell(1, 195, { ...stopLoss, account: "late" })
    const left = triggered(scene.ask({ _tag: "Observe", priceE8: usd(200), teller: "external" }))
    assert.strictEqual(left.length, 44 + 1)
    assertDurable(scene)
    assert.deepStrictEqual(ticked(scene), [])
  })
})

describe("rule 15.5: a fired stop fills up to the band's edge, or up to the price that leaves no debt if that is nearer", () => {
  it("at leverage 10 and mark 200, a stop fills down to 186.87 although the band starts at 180", () => {
    const scene = new Scene(210)
    scene.hold("alice", 5, 210)
    scene.buy(1, 186.87, { account: "bob" })
    scene.buy(1, 186.86, { account: "bob" })
    scene.sell(5, 205, stopLoss)
    assert.deepStrictEqual(marked(scene, 200), ["Triggered", "Traded 1 @ 186.87 bob", "IOC_PARTIALLY_FILLED 4 alice"])
  })
})

describe("rule 15.2, I33: a stop closes at most the position", () => {
  it("rejects a stop without a position, a stop that would grow the position, and a stop larger than the position", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.sell(1, 190, stopLoss)), ["REJECTED"])
    scene.hold("alice", 5)
    assert.deepStrictEqual(told(scene.buy(1, 190, stopLoss)), ["REJECTED"])
    assert.deepStrictEqual(told(scene.sell(5.001, 190, stopLoss)), ["REJECTED"])
    // Each stop is checked on its own; price band, daily bounds and minimum value do not apply to stops.
    assert.deepStrictEqual(told(scene.sell(5, 1, stopLoss)), ["StopPlaced"])
    assert.deepStrictEqual(told(scene.sell(5, 900, takeProfit)), ["StopPlaced"])
    assert.deepStrictEqual(told(scene.sell(0.001, 190, stopLoss)), ["StopPlaced"])
    assert.deepStrictEqual(told(scene.sell(NaN, 190, stopLoss)), ["INVALID_TICK_SIZE_PRECISION_QUANTITY"])
    assert.deepStrictEqual(told(scene.sell(1, 0, stopLoss)), ["INVALID_TICK_SIZE_PRECISION_PRICE"])
  })

  it("a stop is cut as the position shrinks, and ends when the position closes or reverses", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 190, stopLoss)
    scene.sell(2, 189, stopLoss)
    scene.buy(9, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(2, 200)), ["Accepted", "Traded 2 @ 200 bob", "Modified 3 @ 190"])
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 3 STOP_LOSS 190", "SELL 2 STOP_LOSS 189"])
    assertDurable(scene)
    assert.deepStrictEqual(told(scene.sell(5, 200)), [
      "Accepted",
      "Traded 5 @ 200 bob",
      "CANCELLED 3 alice",
      "CANCELLED 2 alice"
    ])
    assert.strictEqual(scene.position("alice"), -2)
    assertDurable(scene)
  })

  it("also cuts the makers' stops, but only after all trades of the incoming order", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 190, stopLoss)
    scene.sell(2, 201)
    scene.sell(3, 202)
    assert.deepStrictEqual(told(scene.buy(5, 202, { account: "bob" })), [
      "Accepted",
      "Traded 2 @ 201 alice",
      "Traded 3 @ 202 alice",
      "CANCELLED 5 alice"
    ])
  })

  it("I48: cuts the stops of a maker with many orders once, however often the maker trades", () => {
    const scene = new Scene()
    scene.hold("alice", 20)
    for (let count = 0; count < 50; count++) scene.sell(20, 190, stopLoss)
    for (let count = 0; count < 100; count++) scene.sell(0.1, 201)
    const events = scene.buy(10, 201, { account: "bob", timeInForce: "IOC" })
    assert.lengthOf(events, 1 + 100 + 50)
    assert.deepStrictEqual(new Set(scene.stops("alice")), new Set(["SELL 10 STOP_LOSS 190"]))
    assertDurable(scene)
  })

  it("a stop is unchanged when the position grows", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 190, stopLoss)
    scene.hold("alice", 5)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 5 STOP_LOSS 190"])
  })
})

describe("linked stops", () => {
  it("I30: when one of two linked stops fires, the other one ends, even if the first fills nothing", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const pair = (["STOP_LOSS", "TAKE_PROFIT"] as const).map((type): MarketEvent => {
      const order = eventOf(scene.sell(5, type === "STOP_LOSS" ? 190 : 210, { type }), "StopPlaced").order
      scene.cancel(order.orderId)
      return {
        _tag: "StopPlaced",
        commandId: null,
        expiresAtMillis: 0,
        order,
        takerRate: 100_000,
        leverage: 10,
        parentId: orderIdFrom(id("parent")),
        atMillis: scene.now
      }
    })
    for (const event of pair) Engine.apply(scene.engine, event)
    scene.events.push(...pair)
    assert.deepStrictEqual(marked(scene, 211), ["Triggered", "CANCELLED 5 alice", "IOC_CANCELLED 5 alice"])
    assert.deepStrictEqual(scene.stops("alice"), [])
    assertDurable(scene)
  })
})

describe("commands for stops by id", () => {
  it("a modified stop is cut to the position and keeps the members that the modify omits", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const { orderId } = eventOf(scene.sell(2, 190, stopLoss), "StopPlaced").order
    const over = { ...stopLoss, side: "SELL" } as const
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, priceTicks: ticks(191) })), [
      "Modified 2 @ 191 requeued",
      "Done"
    ])
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, quantityLots: lots(5) })), [
      "Modified 5 @ 191",
      "Done"
    ])
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, quantityLots: lots(6) })), ["REJECTED"])
    const unlike = ["CANNOT_MODIFY_NO_SUCH_ORDER"]
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, side: "BUY" })), unlike)
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, type: "TAKE_PROFIT" })), unlike)
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, account: "bob" })), unlike)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 5 STOP_LOSS 191"])
    assertDurable(scene)
  })

  it("a stop modified to the mark fires at the next check, unless a second modify moves it away first", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const { orderId } = eventOf(scene.sell(2, 190, stopLoss), "StopPlaced").order
    const over = { ...stopLoss, side: "SELL" } as const
    scene.modify(orderId, { ...over, priceTicks: ticks(201) })
    scene.modify(orderId, { ...over, priceTicks: ticks(199) })
    assert.deepStrictEqual(ticked(scene), [])
    scene.modify(orderId, { ...over, priceTicks: ticks(200) })
    assert.deepStrictEqual(ticked(scene), ["Triggered", "IOC_CANCELLED 2 alice"])
  })

  it("a stop is cancelled only by its owner, and by a cancel of all orders only if stops are included", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const { orderId } = eventOf(scene.sell(2, 190, stopLoss), "StopPlaced").order
    scene.sell(3, 189, stopLoss)
    const open = orderIdOf(scene.sell(1, 201))
    assert.deepStrictEqual(told(scene.cancel(orderId, { account: "bob" })), ["NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(scene.cancel(orderId)), ["CANCELLED 2 alice", "Done"])
    assert.deepStrictEqual(told(scene.cancel(orderId)), ["NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(scene.cancelAll({ cause: "DISCONNECT" })), ["CANCELLED 1 alice", "Done"])
    assert.deepStrictEqual(told(scene.cancel(open)), ["NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(scene.cancelAll()), ["CANCELLED 3 alice", "Done"])
    assertDurable(scene)
  })

  it("rule 6.8: an account can have 50 stops in addition to its open orders", () => {
    const scene = new Scene(200, { maxOpenOrders: 1 })
    scene.hold("alice", 5)
    for (let count = 0; count < 50; count++) assert.deepStrictEqual(told(scene.sell(1, 190, stopLoss)), ["StopPlaced"])
    assert.deepStrictEqual(told(scene.sell(1, 190, stopLoss)), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    assert.deepStrictEqual(told(scene.sell(1, 201)), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1, 201)), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    assertDurable(scene)
  })
})

function triggered(events: ReadonlyArray<MarketEvent>): ReadonlyArray<string> {
  return events.flatMap((event) => (event._tag === "Triggered" ? [event.order.accountId] : []))
}
