/** Settlement of a contract: orders and stops end, and all positions close permanently at one price (rule 19.3). */
import { AccountId } from "@venue/domain/AccountId"
import { noEcho } from "@venue/domain/Echo"
import type { MarketEvent } from "@venue/domain/Market"
import type { OrderRefusal } from "@venue/domain/Reject"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { apple, assertDurable, eventOf, Scene, told, usd } from "../EngineScene.ts"

const observe = (scene: Scene, price: number) => scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "operator" })
const halt = (scene: Scene) => scene.ask({ _tag: "SetTradingState", state: "HALTED" })
const delist = (scene: Scene) => scene.ask({ _tag: "Delist" })
const positionOf = (scene: Scene, account: string) => Engine.view(scene.engine, AccountId.make(account)).position

/**
 * Returns a halted market that was at 200 for twenty minutes and at 206 for ten. Alice is long 50 from 200, and Carol
 * is short 20.
 */
const halted = () => {
  const scene = new Scene()
  scene.hold("alice", 50)
  scene.hold("carol", -20)
  scene.buy(1, 199)
  scene.sell(5, 190, { type: "STOP_LOSS" })
  scene.now += 20 * 60_000
  observe(scene, 206)
  scene.now += 10 * 60_000
  halt(scene)
  return scene
}

describe("delistings", () => {
  it("a delisting closes all positions at the half-hour average, without a fee: a long of 50 from 200 gains 100.00 at 202", () => {
    const scene = halted()
    scene.now += 60_000
    observe(scene, 150)
    const before = ["alice", "carol", "house"].map((account) => positionOf(scene, account).fees)
    const events = delist(scene)
    assert.deepStrictEqual(told(events), [
      "TradingStateChanged",
      "SettlementBegan",
      "Priced",
      "CANCELLED 1 alice",
      "CANCELLED 5 alice",
      "Traded 20 @ 202 carol",
      "Traded 30 @ 202 house",
      "TradingStateChanged"
    ])
    for (const [index, account] of ["alice", "carol", "house"].entries()) {
      const { cashFlow, fees, quantityLots } = positionOf(scene, account)
      assert.deepStrictEqual(
        [quantityLots, cashFlow, fees],
        [0, [100_000_000, -40_000_000, -60_000_000][index], before[index]]
      )
    }
    const { maker, offBook, taker } = eventOf(events, "Traded")
    assert.deepStrictEqual(
      [offBook, maker.order.origin, taker.order.origin],
      ["SETTLEMENT", "SETTLEMENT", "SETTLEMENT"]
    )
    assert.strictEqual(Engine.tradingState(scene.engine), "DELISTED")
    assertDurable(scene)
  })

  it("a delisted market values positions at the delisting price and accepts neither prices nor funding", () => {
    const scene = halted()
    delist(scene)
    scene.now += 2 * 3_600_000
    assert.deepStrictEqual(told(scene.ask({ _tag: "Tick" })), ["HoldersCounted"])
    for (const events of [observe(scene, 210), scene.ask({ _tag: "Tick" }), halt(scene), delist(scene)])
      assert.deepStrictEqual(told(events), [])
    assert.deepStrictEqual(told(scene.ask({ _tag: "PayDividend", exDay: 30_000, perUnitE8: 1 })), [])
    assert.deepStrictEqual(told(scene.ask({ _tag: "SetTradingState", state: "TRADING" })), [])
    const { freshMarkE8, markE8 } = Engine.prices(scene.engine)!
    assert.deepStrictEqual([markE8, freshMarkE8], [usd(202), usd(202)])
    assert.isTrue(Engine.isIdle(scene.engine, scene.now))
  })

  it("does not delist a market that is trading", () => {
    const scene = new Scene()
    scene.hold("alice", 1)
    assert.deepStrictEqual(delist(scene), [])
    assert.strictEqual(scene.position("alice"), 1)
  })

  it("a market that never had a price is delisted immediately", () => {
    const scene = new Scene(null)
    halt(scene)
    assert.deepStrictEqual(told(delist(scene)), ["TradingStateChanged"])
    assert.strictEqual(Engine.tradingState(scene.engine), "DELISTED")
    assertDurable(scene)
  })

  it("a delisting closes open takeovers first", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    const { markE8 } = Engine.prices(scene.engine)!
    const decidedOn = { markE8, position: positionOf(scene, "alice") }
    scene.ask({ _tag: "OpenTakeover", ...scene.envelope({}), decidedOn, share: 0 })
    halt(scene)
    assert.includeMembers([...told(delist(scene))], ["TakeoverClosed", "Traded 50 @ 200 house"])
    assertDurable(scene)
  })

  it("refuses commands for a delisted symbol as unknown symbol", () => {
    const scene = halted()
    const { order } = eventOf(scene.events, "Accepted")
    delist(scene)
    const desk = (status: OrderRefusal) =>
      told(scene.ask({ _tag: "Refuse", ...scene.envelope({}), status, echo: noEcho }))
    assert.deepStrictEqual(told(scene.buy(1, 200)), ["BAD_SYMBOL"])
    assert.deepStrictEqual(told(scene.close()), ["BAD_SYMBOL"])
    assert.deepStrictEqual(told(scene.modify(order.orderId)), ["CANNOT_MODIFY_NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(scene.cancel(order.orderId)), ["NO_SUCH_ORDER"])
    assert.deepStrictEqual(told(scene.cancelAll()), ["Done"])
    assert.deepStrictEqual(desk("FAILED_MARGIN_CHECK"), ["BAD_SYMBOL"])
    assert.deepStrictEqual(desk("REJECTED_FAILED_TO_PROCESS"), ["REJECTED_FAILED_TO_PROCESS"])
  })

  it("a delisting closes a user's two accounts against each other if no other account remains", () => {
    const scene = new Scene()
    scene.sell(3, 200, { account: "house" })
    scene.buy(3, 200, { account: "ann/1", user: "ann" })
    scene.buy(3, 200, { account: "house" })
    scene.sell(3, 200, { account: "ann/2", user: "ann" })
    halt(scene)
    assert.include(told(delist(scene)), "Traded 3 @ 200 ann/2")
  })

  it("a delisting too large for one decision continues at each tick, even after a crash", () => {
    const scene = new Scene()
    const most = { maxNotional: 1e14 }
    for (let n = 0; n < 6_000; n++) {
      scene.sell(0.1, 200, { account: "house", ...most })
      scene.buy(0.1, 200, { account: `trader-${n}`, ...most })
    }
    halt(scene)
    const first = delist(scene)
    assert.isBelow(first.length, 5_000)
    assert.deepStrictEqual(told(scene.buy(1, 200)), ["REJECTED_MARKET_CLOSED"])
    assert.isFalse(Engine.isIdle(scene.engine, scene.now))
    const again = Engine.make(apple, Engine.defaults)
    for (const event of scene.events) Engine.apply(again, event)
    scene.engine = again
    const traded: Array<MarketEvent> = [...first]
    for (let n = 0; Engine.tradingState(scene.engine) === "IN_SETTLEMENT"; n++) {
      assert.isBelow(n, 3)
      const totals = Engine.totals(scene.engine)
      assert.deepStrictEqual([totals.positions, totals.cash], [0, 0])
      scene.now += 1_000
      traded.push(...scene.ask({ _tag: "Tick" }))
    }
    const names = new Set(traded.flatMap((event) => (event._tag === "Traded" ? [event.taker.order.orderId.text] : [])))
    assert.strictEqual(names.size, 6_000)
    assert.strictEqual(Engine.openInterest(scene.engine), 0)
    assertDurable(scene)
  })
})
