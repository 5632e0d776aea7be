/** Limit on the number of events that one order can cause, so that the events fit in one journal row. */
import { maxRowBytes } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert, describe, it, vi } from "@effect/vitest"
import { id } from "../Id.ts"
import { bob, crowded, many } from "./EngineCrowd.ts"
import { assertDurable, eventOf, orderIdOf, type PlaceAsk, Scene, ticks, told, usd } from "./EngineScene.ts"

const most = 4_096
const counted = (said: ReadonlyArray<string>, word: string) => said.filter((one) => one.startsWith(word)).length

describe("I48, rule 4.16: an order's unfilled quantity is cancelled after 4,096 events", () => {
  it.each([
    ["LIMIT", "GTC"],
    ["LIMIT", "IOC"],
    ["MARKET", "IOC"]
  ] as const)("a %s %s order's remainder is cancelled, and the next order matches the rest", (type, timeInForce) => {
    const scene = new Scene()
    many(scene, "SELL", most + 4, 200.5)
    const said = told(scene.buy(500, 201, { ...bob, type, timeInForce }))
    assert.strictEqual(counted(said, "Traded"), most)
    assert.deepStrictEqual(said.slice(most + 1), ["IOC_PARTIALLY_FILLED 90.4 bob"])
    assert.deepStrictEqual([scene.levels(), scene.orders("bob")], [["SELL 0.4 @ 200.5"], []])
    assert.deepStrictEqual(told(scene.buy(1, 201, bob)).slice(5), [])
    assert.deepStrictEqual(scene.levels(), ["BUY 0.6 @ 201"])
    assertDurable(scene)
  })

  it("the unfilled quantity of a crossing modify is cancelled after 4,096 events", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(500, 199, bob))
    many(scene, "SELL", most + 4, 200.5)
    const said = told(scene.modify(orderId, { ...bob, priceTicks: ticks(201) }))
    assert.strictEqual(counted(said, "Traded"), most)
    assert.deepStrictEqual(said.slice(most + 1), ["IOC_PARTIALLY_FILLED 90.4 bob", "Done"])
    assert.deepStrictEqual([scene.levels(), scene.orders("bob")], [["SELL 0.4 @ 200.5"], []])
    assertDurable(scene)
  })

  it("stops that fills reduce or end count towards the event limit", () => {
    const scene = new Scene()
    for (let account = 0; account < 100; account++) {
      scene.hold(`a${account}`, 0.1)
      for (let stop = 0; stop < 50; stop++) scene.sell(0.1, 190, { account: `a${account}`, type: "STOP_LOSS" })
    }
    for (let account = 0; account < 100; account++) scene.sell(0.1, 201, { account: `a${account}` })
    const said = told(scene.buy(500, 201, bob))
    // Each maker account adds one trade and fifty cancelled stops.
    assert.strictEqual(counted(said, "Traded"), Math.ceil(most / 51))
    assert.strictEqual(counted(said, "CANCELLED 0.1"), 50 * Math.ceil(most / 51))
    assert.strictEqual(said.at(-1), `IOC_PARTIALLY_FILLED ${500 - Math.ceil(most / 51) / 10} bob`)
    assertDurable(scene)
  })

  it("a FOK order is cancelled if it could reach the event limit, and filled otherwise", () => {
    const scene = new Scene()
    many(scene, "SELL", most, 200.5)
    const fok = { ...bob, timeInForce: "FOK" } as const
    assert.deepStrictEqual(told(scene.buy(most / 10, 201, fok)), ["Accepted", `CANCELLED ${most / 10} bob`])
    const said = told(scene.buy((most - 1) / 10, 201, fok))
    assert.deepStrictEqual([counted(said, "Traded"), said.length], [most - 1, most])
    assertDurable(scene)
  })

  it("a FOK check visits each order once, even if the match would cut some of them", () => {
    const writes = (orders: number): number => {
      const scene = new Scene()
      scene.hold("ann", orders / 2)
      for (let order = 0; order < orders; order++) scene.sell(1, 200.5, { account: "ann", reduceOnly: order % 2 === 0 })
      const set = vi.spyOn(Map.prototype, "set")
      const said = told(scene.buy(orders, 201, { ...bob, timeInForce: "FOK" }))
      const { length } = set.mock.calls
      set.mockRestore()
      assert.deepStrictEqual(said, ["Accepted", `CANCELLED ${orders} bob`])
      return length
    }
    assert.isAtMost(writes(200), 2 * writes(100))
  })

  it("a FOK check never visits more orders than one order is allowed to match, even if the check fails", () => {
    const writes = (accounts: number): number => {
      const scene = new Scene()
      for (let account = 0; account < accounts; account++) {
        scene.hold(`a${account}`, 20)
        for (let order = 0; order < 200; order++) scene.sell(0.1, 200.5, { account: `a${account}`, reduceOnly: true })
      }
      const set = vi.spyOn(Map.prototype, "set")
      scene.buy(1_000, 201, { ...bob, timeInForce: "FOK" })
      const { length } = set.mock.calls
      set.mockRestore()
      return length
    }
    assert.isAbove(writes(10), 2_000)
    assert.isBelow(writes(21), 100)
  })

  it.each(crowded)(
    "a FOK check counts events from %s, and cancels the order if they exceed the limit",
    (_what, prepare, quantity, ask) => {
      const scene = new Scene()
      prepare(scene)
      const before = scene.levels()
      const said = told(scene.buy(quantity, 201, { ...bob, timeInForce: "FOK", ...ask }))
      assert.deepStrictEqual(said, ["Accepted", `CANCELLED ${quantity} bob`])
      assert.deepStrictEqual(scene.levels(), before)
      assert.include(
        told(scene.buy(quantity, 201, { ...bob, timeInForce: "IOC", ...ask })).join(),
        "IOC_PARTIALLY_FILLED"
      )
    }
  )
})

it("I48: the events of one firing stop fit in a nearly full journal row, even if other users' orders are as long as possible", () => {
  const scene = new Scene(205)
  const builderCode = id("code").text
  const ownerId = eventOf(scene.buy(1, 190, { account: id("owner").text }), "Accepted").order.userId
  scene.ask({ _tag: "IntroduceBuilder", builderCode, ownerId, venueBps: 5_001, builderBps: 4_998 })
  const bracket = { takeProfitTicks: ticks(250), stopLossTicks: ticks(150), takerRate: 100_000 }
  const hostile = (account: number): PlaceAsk => ({
    account: id(`account ${account}`).text,
    user: id(`user ${Math.floor(account / 21)}`).text,
    clientOrderId: scene.id().text.padStart(64, "n"),
    builderCode,
    bracket
  })
  scene.sell(500, 205, { account: "house", maxNotional: 9e14 })
  scene.buy(500, 205, { maxNotional: 9e14 })
  scene.sell(500, 195, { type: "STOP_LOSS" })
  for (let account = 0; account < 200; account++) {
    for (let order = 0; order < 25; order++) scene.buy(0.1, 194, hostile(account))
  }
  const events = scene.ask({ _tag: "Observe", priceE8: usd(194), teller: "external" })
  assert.strictEqual(counted(told(events), "Triggered"), 1)
  assert.isAbove(events.length, 3_900)
  const bytes = MarketRecord.encode(events).length
  assert.isBelow(bytes + 8_192 * (bytes / events.length), maxRowBytes)
})
