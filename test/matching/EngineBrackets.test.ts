/**
 * Stops attached to an order (rule 15): fills create and grow them, the two are linked, and they end with the
 * position.
 */
import type { MarketEvent } from "@venue/domain/Market"
import type { Bracket } from "@venue/domain/Order"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, eventOf, orderIdOf, Scene, ticks, told, usd } from "./EngineScene.ts"

/** A price of 0 means no stop. */
const bringing = (takeProfit: number, stopLoss: number): { readonly bracket: Bracket } => ({
  bracket: { takeProfitTicks: ticks(takeProfit), stopLossTicks: ticks(stopLoss), takerRate: 100_000 }
})
const both = bringing(210, 190)
const bob = { account: "bob" }

const marked = (scene: Scene, price: number) =>
  told(scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "external" })).filter((said) => said !== "Priced")
const placed = (events: ReadonlyArray<MarketEvent>) => events.filter((event) => event._tag === "StopPlaced")

describe("rule 15.8: stops attached to an order", () => {
  it("the first fill of a resting order creates both stops, and later fills increase their quantity", () => {
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

  it("each trade of an incoming order increases the quantity of its stops", () => {
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

  it("an order can attach a single stop, and the stops of a sell order buy", () => {
    const scene = new Scene()
    scene.buy(9, 200, bob)
    scene.sell(2, 200, bringing(190, 0))
    scene.sell(3, 200, { ...bringing(0, 210), type: "MARKET", timeInForce: "IOC" })
    assert.deepStrictEqual(scene.stops("alice"), ["BUY 2 TAKE_PROFIT 190", "BUY 3 STOP_LOSS 210"])
    assertDurable(scene)
  })

  it("the stops that a fill creates cover only the position that remains on the order's side", () => {
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

  it("fills after the first stops have ended create new stops with new ids", () => {
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

describe("rule 15.9: linked stops of one order", () => {
  it.each([
    ["a take profit that fires ends the stop loss", 210, 199, "Traded 2 @ 211 bob"],
    ["a stop loss that fires ends the take profit", 190, 211, "Traded 2 @ 189.5 bob"]
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

  it("when one stop fires, stops attached to other orders stay open", () => {
    const scene = new Scene()
    scene.buy(2, 200, both)
    scene.buy(2, 200, bringing(220, 180))
    scene.sell(4, 200, bob)
    scene.buy(2, 189.5, bob)
    marked(scene, 190)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 TAKE_PROFIT 220", "SELL 2 STOP_LOSS 180"])
    assertDurable(scene)
  })

  it("a fill after one stop has fired creates a new pair of stops", () => {
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

describe("rule 15.6: attached stops end with the position", () => {
  const held = () => {
    const scene = new Scene()
    scene.buy(5, 200, both)
    scene.sell(5, 200, bob)
    scene.buy(9, 200, bob)
    return scene
  }

  it("attached stops are cut when the position shrinks", () => {
    const scene = held()
    assert.deepStrictEqual(told(scene.sell(2, 200)).slice(2), ["Modified 3 @ 210", "Modified 3 @ 190"])
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 3 TAKE_PROFIT 210", "SELL 3 STOP_LOSS 190"])
    assertDurable(scene)
  })

  it.each([
    ["is closed", 5, 0],
    ["reverses", 6, -1]
  ])("attached stops end when the position %s", (_name, sold, position) => {
    const scene = held()
    assert.deepStrictEqual(told(scene.sell(sold, 200)).slice(2), ["CANCELLED 5 alice", "CANCELLED 5 alice"])
    assert.strictEqual(scene.position("alice"), position)
    assertDurable(scene)
  })

  it("attached stops that were cut grow again when the order fills further", () => {
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

describe("rule 15.8: a modify changes the bracket prices that it names, and a price of 0 removes a stop", () => {
  it("fills after a modify use the modified bracket", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(2, 200, both))
    scene.modify(orderId, { takeProfitTicks: 0, stopLossTicks: ticks(195) })
    scene.sell(2, 200, bob)
    assert.deepStrictEqual(scene.stops("alice"), ["SELL 2 STOP_LOSS 195"])
    assertDurable(scene)
  })

  it("an order creates no stop after a modify has removed its bracket", () => {
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

describe("I48, rule 15.2: an account has at most 50 stops in a symbol", () => {
  const tooMany = ["REJECTED_TOO_MANY_OPEN_ORDERS"]

  it("each open order with two attached stops reserves two of the 50 stops, however little of it is filled", () => {
    const scene = new Scene()
    const orders = Array.from({ length: 25 }, () => orderIdOf(scene.buy(2, 199, both)))
    assert.deepStrictEqual(told(scene.buy(2, 199, both)), tooMany)
    const plain = orderIdOf(scene.buy(2, 199))
    assert.deepStrictEqual(told(scene.modify(plain, { stopLossTicks: ticks(190) })), tooMany)
    assert.deepStrictEqual(told(scene.modify(orders[0]!, { stopLossTicks: ticks(191) })), ["Modified 2 @ 199", "Done"])
    // Fills 24 orders completely and half of the last one: all orders have their stops, and the limit is reached.
    scene.sell(25 * 2 - 1, 199, bob)
    assert.lengthOf(scene.stops("alice"), 50)
    assert.deepStrictEqual(told(scene.sell(1, 190, { type: "STOP_LOSS" })), tooMany)
    scene.cancel(eventOf(scene.events, "StopPlaced").order.orderId)
    assert.deepStrictEqual(told(scene.sell(1, 190, { type: "STOP_LOSS" })), ["StopPlaced"])
    assertDurable(scene)
  })

  it("an order with two attached stops is refused if fewer than two of the account's 50 stops are free", () => {
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
