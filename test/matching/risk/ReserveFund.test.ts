/** Top-ups of the reserve fund count once per id and create no money (rule 9.10). */
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Scene, told } from "../EngineScene.ts"

const topUp = (scene: Scene, topUpId: string, amount: number) =>
  told(scene.ask({ _tag: "TopUpFund", topUpId, amount, reason: "" }))

describe("top-ups of the reserve fund", () => {
  it("the market can spend a top-up, which counts as the operator's money in the sum of all cash", () => {
    const scene = new Scene()
    assert.deepStrictEqual(topUp(scene, "first", 150_000_000), ["FundToppedUp"])
    assert.deepInclude(Engine.totals(scene.engine), { cash: 0, reserveFund: 150_000_000, toppedUp: 150_000_000 })
  })

  it("I16: a top-up counts once per id, with its first amount", () => {
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

  it("ignores a top-up that is negative, zero or too large to count exactly", () => {
    const scene = new Scene()
    topUp(scene, "first", 1)
    for (const amount of [-1, 0, NaN, Infinity, Number.MAX_SAFE_INTEGER])
      assert.deepStrictEqual(topUp(scene, "wrong", amount), [])
    assert.strictEqual(Engine.totals(scene.engine).reserveFund, 1)
  })

  it("I6: a top-up and its id survive a replay and a snapshot", () => {
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
