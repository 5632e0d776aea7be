/** Commands accepted in CANCEL_ONLY and HALTED (rule 1.7). */
import { noEcho } from "@venue/domain/Echo"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { OpenState } from "@venue/domain/TradingState"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { eventOf, orderIdOf, Scene, ticks, told, usd } from "../EngineScene.ts"

const shut = "REJECTED_MARKET_CLOSED"
const set = (scene: Scene, state: OpenState) => scene.ask({ _tag: "SetTradingState", state })

/** A position of 2, and one resting order. */
const open = () => {
  const scene = new Scene()
  scene.hold("alice", 2)
  return { scene, orderId: orderIdOf(scene.buy(1, 199)) }
}

describe("markets that do not trade", () => {
  it("CANCEL_ONLY accepts only cancels", () => {
    const { orderId, scene } = open()
    assert.deepStrictEqual(told(set(scene, "CANCEL_ONLY")), ["TradingStateChanged"])
    assert.deepStrictEqual(told(scene.buy(1, 198)), [shut])
    assert.deepStrictEqual(told(scene.modify(orderId, { priceTicks: ticks(198) })), [shut])
    assert.deepStrictEqual(told(scene.close()), [shut])
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 1 of 1 @ 199"])
    assert.deepStrictEqual(told(scene.cancel(orderId)), ["CANCELLED 1 alice", "Done"])
  })

  it("HALTED refuses all commands; resting orders stay and prices continue", () => {
    const { orderId, scene } = open()
    set(scene, "HALTED")
    assert.deepStrictEqual(told(scene.buy(1, 198)), [shut])
    assert.deepStrictEqual(told(scene.cancel(orderId)), [shut])
    assert.deepStrictEqual(told(scene.cancelAll()), [shut])
    assert.deepStrictEqual(scene.orders("alice"), ["BUY 1 of 1 @ 199"])
    assert.deepStrictEqual(told(scene.ask({ _tag: "Observe", priceE8: usd(201), teller: "operator" })), ["Priced"])
  })

  it("rule 4.14: if both a closed market and the desk refuse, the market's refusal is returned, unless the desk's is an internal error", () => {
    const { scene } = open()
    const desk = (status: OrderRefusal) =>
      told(scene.ask({ _tag: "Refuse", ...scene.envelope({}), status, echo: noEcho }))
    set(scene, "CANCEL_ONLY")
    assert.deepStrictEqual(desk("QUANTITY_LESS_THAN_MIN_QUANTITY"), [shut])
    assert.deepStrictEqual(desk("USER_IN_LIQUIDATION"), [shut])
    assert.deepStrictEqual(desk("NO_SUCH_ORDER"), ["NO_SUCH_ORDER"])
    set(scene, "HALTED")
    assert.deepStrictEqual(desk("NO_SUCH_ORDER"), [shut])
    assert.deepStrictEqual(desk("REJECTED_FAILED_TO_PROCESS"), ["REJECTED_FAILED_TO_PROCESS"])
  })

  it("I34: cancels after a lost connection are executed even in a halted market", () => {
    for (const state of ["CANCEL_ONLY", "HALTED"] as const) {
      const { scene } = open()
      set(scene, state)
      assert.deepStrictEqual(told(scene.cancelAll({ cause: "DISCONNECT" })), ["CANCELLED 1 alice", "Done"])
    }
  })

  it("a halted market values accounts at its last mark until it trades again", () => {
    const { scene } = open()
    const before = Engine.prices(scene.engine)!.markE8
    set(scene, "CANCEL_ONLY")
    scene.ask({ _tag: "Observe", priceE8: usd(190), teller: "operator" })
    const { freshMarkE8, markE8 } = Engine.prices(scene.engine)!
    assert.deepStrictEqual([freshMarkE8, markE8 < before], [before, true])
    set(scene, "TRADING")
    scene.now += 1_000
    scene.ask({ _tag: "Tick" })
    assert.strictEqual(Engine.prices(scene.engine)!.freshMarkE8, Engine.prices(scene.engine)!.markE8)
  })

  it("a halted market pays no funding for an hour that ends while it is halted", () => {
    const { scene } = open()
    set(scene, "CANCEL_ONLY")
    scene.now = (Math.floor(scene.now / 3_600_000) + 1) * 3_600_000
    const funded = eventOf(scene.ask({ _tag: "Tick" }), "Funded")
    assert.deepStrictEqual([funded.skipped, funded.rateE12], [true, 0])
  })

  it("trading resumes, and setting the current state again records no event", () => {
    const { scene } = open()
    assert.deepStrictEqual(set(scene, "TRADING"), [])
    set(scene, "HALTED")
    assert.deepStrictEqual(set(scene, "HALTED"), [])
    set(scene, "TRADING")
    assert.strictEqual(scene.buy(1, 198).at(0)?._tag, "Accepted")
  })
})
