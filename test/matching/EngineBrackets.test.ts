/** The stops that an order brings: made of what it fills, growing with it, linked, and gone with the position (rule 15). */
import type { MarketEvent } from "@venue/domain/Market"
import type { Bracket } from "@venue/domain/Order"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, eventOf, orderIdOf, Scene, ticks, told, usd } from "./EngineScene.ts"

/** A price of 0 is none. */
const bringing = (takeProfit: number, stopLoss: number): { readonly bracket: Bracket } => ({
  bracket: { takeProfitTicks: ticks(takeProfit), stopLossTicks: ticks(stopLoss), takerRate: 100_000 }
})
const both = bringing(210, 190)
const bob = { account: "bob" }

const marked = (scene: Scene, price: number) =>
  told(scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "external" })).filter((said) => said !== "Priced")
const placed = (events: ReadonlyArray<MarketEvent>) => events.filter((event) => event._tag === "StopPlaced")

describe("rule 15.8: an order gets its stops as it fills", () => {
  it("none while it rests, both with the first fill, and they grow with each further one", () => {
    const scene = new Scene()
    const accepted = scene.buy(5, 200, { ...both, clientOrderId: "in", builderCode: "code" })
    assert.deepStrictEqual(told(accepted), ["Accepted"])
    assert.deepStrictEqual(scene.stops("alice"), [])
    const first = scene.sell(2, 200, bob)
    assert.deepStrictEqual(told(first), ["Accepted", "Traded 2 @ 200 alice", "StopPlaced", "StopPlaced"])
    const { accountId, orderId, userId } = eventOf(accepted, "Accepted").order
    for (const { commandId, leverage, order, parentId, takerRate } of placed(first)) {
      assert.deepStrictEqual([commandId, leverage, parentId, takerRate], [null, 10, orderId, 100_000])
      const inherited = { userId, accountId, clientOrderId: "in", builderCode: "code", origin: "USER" } as const
      assert.deepInclude(order, { ...inherited, side: "SELL", reduceOnly: true, timeInForce: "GTC" })
      assert.notStrictEqual(order.orderId.text, orderId.text)
    }
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 TAKE_PROFIT 210", "SELL 2 STOP_LOSS 190"])
    assert.deepStrictEqual(told(scene.sell(3, 200, bob)).slice(2), ["Modified 5 @ 210", "Modified 5 @ 190"])
    assert.strictEqual(new Set(placed(scene.events).map(({ order }) => order.orderId.text)).size, 2)
    assertDurable(scene)
  })

  it("as the incoming side too, where each of its trades makes them larger", () => {
    const scene = new Scene()
    scene.sell(1, 199, bob)
    scene.sell(2, 200, bob)
    assert.deepStrictEqual(told(scene.buy(4, 200, both)), [
      "Accepted",
      "Traded 1 @ 199 bob",
      "StopPlaced",
      "StopPlaced",
      "Traded 2 @ 200 bob",
      "Modified 3 @ 210",
      "Modified 3 @ 190"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 1 of 4 @ 200"])
    assertDurable(scene)
  })

  it("one of them alone, where the other is none; those of a sell buy", () => {
    const scene = new Scene()
    scene.buy(9, 200, bob)
    scene.sell(2, 200, bringing(190, 0))
    scene.sell(3, 200, { ...bringing(0, 210), type: "MARKET", timeInForce: "IOC" })
    assert.deepStrictEqual(scene.stops("alice"), ["BUY 2 TAKE_PROFIT 190", "BUY 3 STOP_LOSS 210"])
    assertDurable(scene)
  })

  it("none where a fill leaves no position on the order's side, and of the rest no more than is left of it", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.buy(5, 200, bob)
    assert.deepStrictEqual(told(scene.sell(2, 200, bringing(190, 210))), ["Accepted", "Traded 2 @ 200 bob"])
    assert.deepStrictEqual(told(scene.sell(3, 200, bringing(190, 210))), ["Accepted", "Traded 3 @ 200 bob"])
    assert.deepStrictEqual([scene.position("alice"), scene.stops("alice")], [0, []])
    scene.hold("alice", 1)
    scene.buy(3, 200, bob)
    const turned = told(scene.sell(3, 200, bringing(190, 210)))
    assert.deepStrictEqual(turned, ["Accepted", "Traded 3 @ 200 bob", "StopPlaced", "StopPlaced"])
    assert.strictEqual(scene.position("alice"), -2)
    assert.deepStrictEqual(scene.stops("alice"), ["BUY 2 TAKE_PROFIT 190", "BUY 2 STOP_LOSS 210"])
    assertDurable(scene)
  })

  it("new ones, of other ids, for what it fills after the first have ended", () => {
    const scene = new Scene()
    scene.buy(5, 200, both)
    const before = placed(scene.sell(2, 200, bob)).map(({ order }) => order.orderId)
    for (const id of before) scene.cancel(id)
    const after = placed(scene.sell(1, 200, bob)).map(({ order }) => order.orderId)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 1 TAKE_PROFIT 210", "SELL 1 STOP_LOSS 190"])
    assert.strictEqual(new Set([...before, ...after].map(({ text }) => text)).size, 4)
    assertDurable(scene)
  })
})

describe("rule 15.9: the two of one order are linked", () => {
  it.each([
    ["the profit is taken, and the loss stopped no more", 210, 199, "Traded 2 @ 211 bob"],
    ["the loss is stopped, and the profit taken no more", 190, 211, "Traded 2 @ 189.5 bob"]
  ])("I30: %s", (_name, first, then, trade) => {
    const scene = new Scene()
    scene.buy(2, 200, both)
    scene.sell(2, 200, bob)
    scene.buy(4, first === 210 ? 211 : 189.5, bob)
    assert.deepStrictEqual(marked(scene, first), ["Triggered", "CANCELLED 2 alice", trade])
    assert.deepStrictEqual([scene.position("alice"), scene.stops("alice")], [0, []])
    assert.deepStrictEqual(marked(scene, then), [])
    assertDurable(scene)
  })

  it("those of another order stay", () => {
    const scene = new Scene()
    scene.buy(2, 200, both)
    scene.buy(2, 200, bringing(220, 180))
    scene.sell(4, 200, bob)
    scene.buy(2, 189.5, bob)
    marked(scene, 190)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 TAKE_PROFIT 220", "SELL 2 STOP_LOSS 180"])
    assertDurable(scene)
  })

  it("those of an order that fills more after one fired are a new pair", () => {
    const scene = new Scene()
    scene.buy(3, 199, both)
    scene.sell(2, 199, bob)
    scene.buy(2, 201, bob)
    assert.deepStrictEqual(marked(scene, 210), ["Triggered", "CANCELLED 2 alice", "Traded 2 @ 201 bob"])
    scene.sell(1, 199, bob)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 1 TAKE_PROFIT 210", "SELL 1 STOP_LOSS 190"])
    assertDurable(scene)
  })
})

describe("rule 15.6: they go with the position", () => {
  const held = () => {
    const scene = new Scene()
    scene.buy(5, 200, both)
    scene.sell(5, 200, bob)
    scene.buy(9, 200, bob)
    return scene
  }

  it("are cut as it shrinks", () => {
    const scene = held()
    assert.deepStrictEqual(told(scene.sell(2, 200)).slice(2), ["Modified 3 @ 210", "Modified 3 @ 190"])
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 3 TAKE_PROFIT 210", "SELL 3 STOP_LOSS 190"])
    assertDurable(scene)
  })

  it.each([
    ["it is closed", 5, 0],
    ["it turns round", 6, -1]
  ])("end when %s", (_name, sold, position) => {
    const scene = held()
    assert.deepStrictEqual(told(scene.sell(sold, 200)).slice(2), ["CANCELLED 5 alice", "CANCELLED 5 alice"])
    assert.strictEqual(scene.position("alice"), position)
    assertDurable(scene)
  })

  it("grow again from what they were cut to", () => {
    const scene = new Scene()
    scene.buy(5, 200, both)
    scene.sell(4, 200, bob)
    scene.buy(3, 201, bob)
    scene.sell(3, 201)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 1 TAKE_PROFIT 210", "SELL 1 STOP_LOSS 190"])
    scene.sell(1, 200, bob)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 TAKE_PROFIT 210", "SELL 2 STOP_LOSS 190"])
    assertDurable(scene)
  })
})

describe("rule 15.8: what a modify names of the bracket changes, and 0 removes it", () => {
  it("what is filled afterwards goes by it", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(2, 200, both))
    scene.modify(orderId, { takeProfitTicks: 0, stopLossTicks: ticks(195) })
    scene.sell(2, 200, bob)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 STOP_LOSS 195"])
    assertDurable(scene)
  })

  it("no stop is left of an order whose bracket was removed", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(2, 200, both))
    assert.isUndefined(
      eventOf(scene.modify(orderId, { takeProfitTicks: 0, stopLossTicks: 0 }), "Modified").order.bracket
    )
    scene.sell(2, 200, bob)
    assert.deepStrictEqual(scene.stops("alice"), [])
    assertDurable(scene)
  })
})

describe("I48, rule 15.2: an account has 50 stops in a symbol at most", () => {
  const tooMany = ["REJECTED_TOO_MANY_OPEN_ORDERS"]

  it("with two for each open order that brings any, however little of it is filled", () => {
    const scene = new Scene()
    const orders = Array.from({ length: 25 }, () => orderIdOf(scene.buy(2, 199, both)))
    assert.deepStrictEqual(told(scene.buy(2, 199, both)), tooMany)
    const plain = orderIdOf(scene.buy(2, 199))
    assert.deepStrictEqual(told(scene.modify(plain, { stopLossTicks: ticks(190) })), tooMany)
    assert.deepStrictEqual(told(scene.modify(orders[0]!, { stopLossTicks: ticks(191) })), ["Modified 2 @ 199", "Done"])
    // Half of each order and a little more: all have their stops, and none has room for another.
    scene.sell(25 * 2 - 1, 199, bob)
    assert.lengthOf(scene.stops("alice"), 50)
    assert.deepStrictEqual(told(scene.sell(1, 190, { type: "STOP_LOSS" })), tooMany)
    scene.cancel(eventOf(scene.events, "StopPlaced").order.orderId)
    assert.deepStrictEqual(told(scene.sell(1, 190, { type: "STOP_LOSS" })), ["StopPlaced"])
    assertDurable(scene)
  })

  it("so that an order which brings any needs room for two beside those that stand alone", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    for (let count = 0; count < 48; count++) scene.sell(5, 190, { type: "STOP_LOSS" })
    const orderId = orderIdOf(scene.buy(1, 199, both))
    assert.deepStrictEqual(told(scene.sell(5, 190, { type: "STOP_LOSS" })), tooMany)
    scene.cancel(orderId)
    assert.deepStrictEqual(told(scene.sell(5, 190, { type: "STOP_LOSS" })), ["StopPlaced"])
    assert.deepStrictEqual(told(scene.buy(1, 199, both)), tooMany)
    assert.deepStrictEqual(told(scene.buy(1, 199)), ["Accepted"])
  })
})
