/**
 * Idle markets: while the mark is constant, only an order, a price, a funding period or the end of an hour changes a
 * market.
 */
import { quarterMillis } from "@venue/domain/MarketHours"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { friday, Scene, told } from "./EngineScene.ts"

const idle = (scene: Scene) => Engine.isIdle(scene.engine, scene.now)

/** Ticks once a second until the market is idle. Returns the number of ticks that recorded an event. */
const rest = (scene: Scene): number => {
  let recorded = 0
  for (let ticks = 0; !idle(scene); ticks++) {
    assert.isBelow(ticks, 5_000)
    scene.now += 1_000
    recorded += scene.ask({ _tag: "Tick" }).length
  }
  return recorded
}

it("a market without a price is idle immediately, and a market without orders is idle after its first sample", () => {
  assert.isTrue(idle(new Scene(null)))
  const scene = new Scene(200)
  assert.strictEqual(rest(scene), 1)
  assert.strictEqual(scene.now, friday + 5_000)
})

it("a market is idle after one sample of a new premium, or immediately if the premium is unchanged", () => {
  const scene = new Scene(200)
  rest(scene)
  scene.buy(49, 200)
  assert.strictEqual(rest(scene), 1)
  assert.deepStrictEqual(told(scene.events).slice(-1), ["Priced"])
  scene.buy(50, 200.5)
  assert.strictEqual(rest(scene), 2)
  assert.deepStrictEqual(told(scene.events).slice(-2), ["Priced", "Sampled"])
})

it("a market stays active until its premium has converged, and then records no events", () => {
  const scene = new Scene(200)
  scene.buy(1, 200)
  scene.sell(1, 201)
  assert.isFalse(idle(scene))
  assert.isAbove(rest(scene), 1_000)
  const premium = Engine.prices(scene.engine)!.premiumE8
  assert.closeTo(premium, 50_000_000, 40)
  const nextQuarter = (Math.floor(scene.now / quarterMillis) + 1) * quarterMillis
  for (let at = scene.now; at < nextQuarter; at += 333) assert.deepStrictEqual(scene.ask({ _tag: "Tick" }, at), [])
})

it("an order or a price makes an idle market active again", () => {
  const scene = new Scene(200)
  scene.buy(1, 200)
  scene.sell(1, 201)
  rest(scene)
  scene.sell(1, 200.5, { account: "bob" })
  assert.isFalse(idle(scene))
  rest(scene)
  scene.now += 1_000
  scene.ask({ _tag: "Observe", priceE8: 201e8, teller: "operator" })
  assert.isFalse(idle(scene))
})

it("a trade without a price change records the new open interest once", () => {
  const scene = new Scene(200)
  scene.sell(10, 200, { account: "bob" })
  scene.buy(1, 200)
  rest(scene)
  assert.strictEqual(Engine.prices(scene.engine)!.openInterestLots, 1_000)
  const { openInterestLots: _, atMillis: _at, ...before } = Engine.prices(scene.engine)!
  scene.buy(2, 200)
  assert.isFalse(idle(scene))
  scene.now += 100
  const said = scene.ask({ _tag: "Tick" }).filter(({ _tag }) => _tag === "Priced")
  assert.lengthOf(said, 1)
  assert.deepInclude(said[0], { ...before, openInterestLots: 3_000 })
  scene.now += 100
  assert.notInclude(told(scene.ask({ _tag: "Tick" })), "Priced")
})

it("an idle market records nothing until the quarter hour in which an hour ends or a trading period begins", () => {
  const scene = new Scene(200)
  rest(scene)
  const shares = new Set<number>()
  for (let quarters = 1; quarters <= 4 * 24 * 4; quarters++) {
    scene.now = friday + quarters * quarterMillis
    const before = Engine.prices(scene.engine)!.limitShareBps
    const said = told(scene.ask({ _tag: "Tick" }))
    const { limitShareBps } = Engine.prices(scene.engine)!
    assert.deepStrictEqual(said, [
      ...(quarters % 4 === 0 ? ["Funded"] : []),
      ...(limitShareBps === before ? [] : ["Priced"])
    ])
    // The first sample after the underlying market opens or closes differs from the previous one.
    assert.isAtMost(rest(scene), 1)
    assert.isAtMost(scene.now % quarterMillis, 5_000)
    for (const later of [1_000, 600_000]) {
      assert.deepStrictEqual(scene.ask({ _tag: "Tick" }, scene.now + later), [])
    }
    shares.add(limitShareBps)
  }
  assert.sameMembers([...shares], [10_000, 5_000, 1_000])
})
