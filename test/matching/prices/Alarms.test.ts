/** A market's alarms with their start times. */
import type { PriceOrigin } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Scene, usd } from "../EngineScene.ts"

const tell = (scene: Scene, price: number, teller: PriceOrigin = "external") =>
  scene.ask({ _tag: "Observe", priceE8: usd(price), teller })
const wait = (scene: Scene, millis: number) => {
  scene.now += millis
  scene.ask({ _tag: "Tick" })
}
const told = ({ engine, now }: Scene) =>
  Engine.alarms(engine).map(({ kind, sinceMillis }) => `${kind} for ${(now - sinceMillis) / 1_000}`)

const priced = () => {
  const scene = new Scene(null)
  tell(scene, 200)
  return scene
}

describe("alarms of a market", () => {
  it("raises no alarm for a healthy market or for a market before its first price", () => {
    assert.deepStrictEqual(told(new Scene(null)), [])
    assert.deepStrictEqual(told(priced()), [])
  })

  it("a stale price raises an alarm with its start time until a new price arrives", () => {
    const scene = priced()
    wait(scene, 60_000)
    wait(scene, 30_000)
    assert.deepStrictEqual(told(scene), ["STALE_PRICE for 30"])
    tell(scene, 201)
    assert.deepStrictEqual(told(scene), [])
  })

  it("paused sources raise an alarm until they resume", () => {
    const scene = priced()
    scene.ask({ _tag: "PauseSources", paused: true })
    scene.now += 5_000
    tell(scene, 201, "operator")
    assert.deepStrictEqual(told(scene), ["SOURCES_PAUSED for 5"])
    scene.ask({ _tag: "PauseSources", paused: false })
    assert.deepStrictEqual(told(scene), [])
  })

  it("raises an alarm at the third rejected price, until a price is accepted", () => {
    const scene = priced()
    tell(scene, 900)
    tell(scene, 900)
    assert.deepStrictEqual(told(scene), [])
    tell(scene, 900)
    scene.now += 1_000
    tell(scene, 901)
    assert.deepStrictEqual(told(scene), ["PRICES_NOT_BELIEVED for 1"])
    tell(scene, 199)
    assert.deepStrictEqual(told(scene), [])
  })

  it("raises an alarm for a market that does not trade, with the time of the last change of state", () => {
    const scene = priced()
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    scene.now += 2_000
    assert.deepStrictEqual(told(scene), ["HALTED for 2"])
    scene.ask({ _tag: "SetTradingState", state: "CANCEL_ONLY" })
    scene.now += 1_000
    assert.deepStrictEqual(told(scene), ["CANCEL_ONLY for 1"])
    scene.ask({ _tag: "SetTradingState", state: "TRADING" })
    assert.deepStrictEqual(told(scene), [])
  })

  it("raises no alarm for an ended contract", () => {
    const scene = priced()
    scene.ask({ _tag: "PauseSources", paused: true })
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    scene.ask({ _tag: "Delist" })
    assert.deepStrictEqual(told(scene), [])
  })

  it("I6: alarms are equal after replay and after a snapshot", () => {
    const scene = priced()
    scene.ask({ _tag: "PauseSources", paused: true })
    wait(scene, 70_000)
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    const { engine } = scene
    assert.lengthOf(Engine.alarms(engine), 3)
    const replayed = Engine.make(engine.instrument, Engine.defaults)
    for (const event of scene.events) Engine.apply(replayed, event)
    const restored = Engine.restore(engine.instrument, Engine.defaults, Engine.snapshot(engine))
    for (const again of [replayed, restored]) {
      assert.deepStrictEqual(Engine.alarms(again), Engine.alarms(engine))
      assert.strictEqual(Engine.hash(again), Engine.hash(engine))
    }
  })
})
