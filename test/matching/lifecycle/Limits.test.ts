/** Changes to a contract's limits by an operator (rule 1.9). */
import type { Limits } from "@venue/domain/Limits"
import * as Oracle from "@venue/domain/Oracle"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { apple, assertDurable, lots, Scene, told } from "../EngineScene.ts"

const listed: Limits = {
  minQuantityLots: 100,
  maxQuantityLots: 100_000_000,
  positionUsd: 2_500_000,
  openInterestUsd: 25_000_000
}
const set = (scene: Scene, limits: Partial<Limits>) =>
  told(scene.ask({ _tag: "SetLimits", ...Engine.limits(scene.engine), ...limits }))

describe("contract limits", () => {
  it("the listing's limits apply until they are changed, and a change to equal limits records no event", () => {
    const scene = new Scene()
    assert.deepStrictEqual(Engine.limits(scene.engine), listed)
    assert.deepStrictEqual(set(scene, {}), [])
    assert.deepStrictEqual(set(scene, { positionUsd: 1_000_000 }), ["LimitsSet"])
    assert.deepStrictEqual(set(scene, { positionUsd: 1_000_000 }), [])
    assert.deepStrictEqual(Engine.limits(scene.engine), { ...listed, positionUsd: 1_000_000 })
    assertDurable(scene)
  })

  it("new limits apply to open interest from the next order, and existing positions stay", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    set(scene, { positionUsd: 5_000, openInterestUsd: 10_200 })
    assert.deepStrictEqual(told(scene.buy(1, 200, { account: "ben" })), ["Accepted"])
    assert.deepStrictEqual(told(scene.buy(2, 200, { account: "ben" })), ["REJECTED_OPEN_INTEREST_LIMIT"])
    assert.strictEqual(scene.position("alice"), 50)
    assertDurable(scene)
  })

  for (const flawed of [
    { minQuantityLots: 0 },
    { minQuantityLots: 1.5 },
    { maxQuantityLots: 99 },
    { maxQuantityLots: 2 ** 31 },
    { positionUsd: 0 },
    { positionUsd: 90_000_001 },
    { openInterestUsd: 2_499_999 },
    { openInterestUsd: 2_000_000_001 },
    { openInterestUsd: NaN }
  ])
    it(`ignores invalid limits: ${JSON.stringify(flawed)}`, () => {
      assert.deepStrictEqual(set(new Scene(), flawed), [])
    })

  it("accepts an open-interest limit of 2 billion USD, at which the price can still double (rule 3.2)", () => {
    const openInterestUsd = 2_000_000_000
    assert.deepStrictEqual(set(new Scene(), { openInterestUsd }), ["LimitsSet"])
    assert.isAbove(Oracle.highestTradableE8(apple, lots(openInterestUsd / 200)), 400e8)
  })

  it("an ended contract's limits do not change", () => {
    const scene = new Scene()
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    scene.ask({ _tag: "Delist" })
    assert.deepStrictEqual(set(scene, { positionUsd: 1 }), [])
    assert.strictEqual(scene.engine.instrument.symbol, apple.symbol)
  })
})
