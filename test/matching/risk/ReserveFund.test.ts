/** What the operator puts into the reserve fund counts once for its id, and makes no money (rule 9.10). */
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Scene, told } from "../EngineScene.ts"

const topUp = (scene: Scene, topUpId: string, amount: number) =>
  told(scene.ask({ _tag: "TopUpFund", topUpId, amount, reason: "" }))

describe("a top-up of the reserve fund", () => {
  it("is the market's to spend, and the operator's in the sum of all cash", () => {
    const scene = new Scene()
    assert.deepStrictEqual(topUp(scene, "first", 150_000_000), ["FundToppedUp"])
    assert.deepInclude(Engine.totals(scene.engine), { cash: 0, reserveFund: 150_000_000, toppedUp: 150_000_000 })
  })

  it("I16: counts once for its id, with the amount that came first", () => {
    const scene = new Scene()
    topUp(scene, "first", 150_000_000)
    assert.deepStrictEqual(topUp(scene, "first", 150_000_000), [])
    assert.deepStrictEqual(topUp(scene, "first", 9), [])
    assert.deepStrictEqual(topUp(scene, "second", 9), ["FundToppedUp"])
    assert.deepStrictEqual(
      [Engine.topUp(scene.engine, "first"), Engine.topUp(scene.engine, "third")],
      [150_000_000, undefined]
    )
    assert.strictEqual(Engine.totals(scene.engine).reserveFund, 150_000_009)
  })

  it("is not taken below zero, at zero, or beyond what the fund can count", () => {
    const scene = new Scene()
    topUp(scene, "first", 1)
    for (const amount of [-1, 0, NaN, Infinity, Number.MAX_SAFE_INTEGER])
      assert.deepStrictEqual(topUp(scene, "wrong", amount), [])
    assert.strictEqual(Engine.totals(scene.engine).reserveFund, 1)
  })

  it("I6: is as it was after replay and after a snapshot, its id too", () => {
    const scene = new Scene()
    topUp(scene, "first", 150_000_000)
    const { engine } = scene
    const replayed = Engine.make(engine.instrument, Engine.defaults)
    for (const event of scene.events) Engine.apply(replayed, event)
    const restored = Engine.restore(engine.instrument, Engine.defaults, Engine.snapshot(engine))
    for (const again of [replayed, restored]) {
      assert.strictEqual(Engine.hash(again), Engine.hash(engine))
      assert.strictEqual(Engine.topUp(again, "first"), 150_000_000)
    }
  })
})
