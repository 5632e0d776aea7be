/** External prices: accepted or rejected, fresh or stale, inside and outside trading hours. */
import type { Priced } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { lots, orderIdOf, Scene, ticks, told, usd } from "./EngineScene.ts"
import { play } from "./twin/Play.ts"

/** Stocks trade from Monday to Friday, New York time. */
const saturday = Date.UTC(2026, 10, 21, 15)
const monday = Date.UTC(2026, 10, 23, 5)

const prices = (scene: Scene): Priced => Engine.prices(scene.engine)!
const tell = (scene: Scene, price: number) => scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "external" })
const say = (scene: Scene, price: number) => scene.ask({ _tag: "Observe", priceE8: usd(price), teller: "operator" })
const tick = (scene: Scene) => scene.ask({ _tag: "Tick" })
const wait = (scene: Scene, millis: number) => {
  scene.now += millis
  return tick(scene)
}
const outside = (price = 200): Scene => {
  const scene = new Scene(null)
  tell(scene, price)
  return scene
}
/** Bids at 201 and asks at 203: the mid price is 202. */
const quoted = (scene: Scene): Scene => {
  scene.buy(1, 201)
  scene.sell(1, 203, { account: "bob" })
  return scene
}

describe("price plausibility", () => {
  it("rule 3.1: after a price of 200, rejects 320 and accepts 300", () => {
    const scene = outside()
    tell(scene, 320)
    assert.deepInclude(prices(scene), { oracleE8: usd(200), rejections: 1 })
    tell(scene, 300)
    assert.deepInclude(prices(scene), { oracleE8: usd(300), rejections: 0, source: "external" })
    tell(scene, 149.99)
    assert.deepInclude(prices(scene), { oracleE8: usd(300), rejections: 1 })
    tell(scene, 150)
    assert.deepInclude(prices(scene), { oracleE8: usd(150), rejections: 0 })
  })

  it("rule 3.1: counts at most three rejections, and keeps the last price however many rejections follow", () => {
    const scene = outside()
    const recorded = [1, 2, 3, 4, 5].map(() => tell(scene, 2_000).length)
    assert.deepStrictEqual(recorded, [1, 1, 1, 0, 0])
    assert.deepInclude(prices(scene), { oracleE8: usd(200), rejections: 3 })
  })

  it("I29: a rejected price does not keep the last price fresh", () => {
    const scene = outside()
    for (let second = 0; second < 60; second++) {
      scene.now += 1_000
      tell(scene, 2_000)
    }
    assert.strictEqual(prices(scene).source, "stale")
  })

  it("rule 3.2: a price above ten million is ignored", () => {
    const scene = outside(9_000_000)
    assert.deepStrictEqual(tell(scene, 10_000_001), [])
    assert.strictEqual(tell(scene, 10_000_000).length, 1)
  })
})

describe("trading hours", () => {
  it("rule 3.4: outside trading hours the price follows the book and external prices are ignored", () => {
    const scene = quoted(outside())
    scene.now = saturday
    tick(scene)
    assert.deepStrictEqual(tell(scene, 210), [])
    const before = prices(scene)
    assert.strictEqual(before.source, "internal")
    for (let second = 0; second < 60; second++) wait(scene, 1_000)
    assert.closeTo(prices(scene).oracleE8, before.oracleE8 + (usd(202) - before.oracleE8) * 0.016_529, 100)
    assert.strictEqual(prices(scene).toldE8, usd(200))
  })

  it("rule 3.4: outside hours, a book with only one side freezes the price and leaves the market idle", () => {
    const scene = outside()
    scene.buy(1, 195)
    scene.now = saturday
    tick(scene)
    assert.deepInclude(prices(scene), { source: "internal", oracleE8: usd(200) })
    assert.isTrue(Engine.isIdle(scene.engine, scene.now))
    assert.deepStrictEqual(told(wait(scene, 3_600_000)), ["Funded"])
  })

  it("rule 3.4: time without events does not move the price", () => {
    const scene = outside()
    scene.now = saturday
    tick(scene)
    scene.now += 3_600_000
    quoted(scene)
    tick(scene)
    assert.isBelow(prices(scene).oracleE8, usd(200.002))
  })

  it("rule 3.4: outside hours, the price stays within a tenth of the last external price, whatever the book contains", () => {
    const scene = outside()
    scene.now = saturday
    tick(scene)
    scene.buy(1, 205)
    scene.sell(1, 259, { account: "bob" })
    for (let hour = 0; hour < 40; hour++) {
      for (let step = 0; step < 1_800; step++) wait(scene, 2_000)
      scene.now = saturday
    }
    assert.isAtMost(prices(scene).oracleE8, usd(220))
    assert.isAbove(prices(scene).oracleE8, usd(205))
  })

  it("rule 3.4: the first external price after the reopening applies immediately", () => {
    const scene = quoted(outside())
    scene.now = saturday
    tick(scene)
    for (let second = 0; second < 600; second++) wait(scene, 1_000)
    assert.isAbove(prices(scene).oracleE8, usd(200.1))
    scene.now = monday
    tick(scene)
    assert.strictEqual(prices(scene).source, "stale")
    tell(scene, 190)
    assert.deepInclude(prices(scene), { source: "external", oracleE8: usd(190) })
  })

  it("a market's first price opens it even outside trading hours", () => {
    const scene = new Scene(null)
    scene.now = saturday
    tell(scene, 200)
    assert.deepInclude(prices(scene), { source: "internal", oracleE8: usd(200) })
    assert.deepStrictEqual(told(scene.buy(1, 199)), ["Accepted"])
  })
})

describe("staleness", () => {
  it("rule 3.5: a price turns stale exactly one minute after its last report", () => {
    const scene = outside()
    wait(scene, 59_999)
    assert.strictEqual(prices(scene).source, "external")
    assert.isFalse(Engine.isIdle(scene.engine, scene.now))
    wait(scene, 1)
    assert.strictEqual(prices(scene).source, "stale")
    assert.isTrue(Engine.isIdle(scene.engine, scene.now))
    tell(scene, 200)
    assert.strictEqual(prices(scene).source, "external")
  })

  it("rule 3.5: a repeated price stays fresh and is recorded once a second", () => {
    const scene = outside()
    let recorded = 0
    for (let step = 0; step < 1_000; step++) {
      scene.now += 100
      const events = [...tell(scene, 200), ...tick(scene)]
      recorded += events.filter(({ _tag }) => _tag === "Priced").length
    }
    assert.strictEqual(recorded, 100)
    assert.strictEqual(prices(scene).source, "external")
  })

  it("rule 3.5: a stale price follows the book", () => {
    const scene = quoted(outside())
    wait(scene, 60_000)
    const { oracleE8 } = prices(scene)
    for (let second = 0; second < 60; second++) wait(scene, 1_000)
    assert.isAbove(prices(scene).oracleE8, oracleE8)
  })

  it("rule 3.5: while prices are stale, accounts are valued at the last fresh mark", () => {
    const scene = quoted(outside())
    wait(scene, 59_000)
    const { markE8 } = prices(scene)
    for (let second = 0; second < 600; second++) wait(scene, 1_000)
    assert.isAbove(prices(scene).markE8, markE8)
    assert.closeTo(prices(scene).freshMarkE8, markE8, usd(0.01))
    tell(scene, 190)
    assert.strictEqual(prices(scene).freshMarkE8, prices(scene).markE8)
  })

  it("I29: while a price is stale, accepts only orders that reduce a position, even before the next tick", () => {
    const scene = outside()
    scene.hold("alice", 5)
    const resting = orderIdOf(scene.buy(1, 185))
    scene.now += 60_000
    assert.deepStrictEqual(told(scene.buy(1, 199)).slice(-1), ["REJECTED_MARKET_CLOSED"])
    assert.deepStrictEqual(told(scene.sell(6, 205)), ["REJECTED_MARKET_CLOSED"])
    assert.deepStrictEqual(told(scene.modify(resting, { quantityLots: lots(2), priceTicks: ticks(186) })), [
      "REJECTED_MARKET_CLOSED"
    ])
    tick(scene)
    assert.deepStrictEqual(told(scene.buy(1, 199, { type: "ALO" })), ["REJECTED_MARKET_CLOSED"])
    assert.deepStrictEqual(told(scene.sell(3, 205)), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(3, 205)), ["REJECTED_MARKET_CLOSED"])
    assert.deepStrictEqual(told(scene.sell(2, 206, { reduceOnly: true })), ["Accepted"])
    assert.deepStrictEqual(told(scene.close()), ["Accepted", "IOC_CANCELLED 5 alice"])
    assert.deepStrictEqual(told(scene.cancel(resting)), ["CANCELLED 1 alice", "Done"])
    tell(scene, 200)
    assert.deepStrictEqual(told(scene.buy(1, 199)), ["Accepted"])
  })
})

describe("operator prices", () => {
  it("rule 3.6: an operator's price neither drifts nor turns stale, inside hours and outside", () => {
    const scene = quoted(outside())
    say(scene, 210)
    for (const atMillis of [scene.now + 61_000, saturday, monday]) {
      scene.now = atMillis
      tick(scene)
      assert.deepInclude(prices(scene), { source: "operator", oracleE8: usd(210) })
    }
  })

  it("rule 3.6: the next external price is checked against the operator's price and then replaces it", () => {
    const scene = outside()
    say(scene, 600)
    tell(scene, 200)
    assert.deepInclude(prices(scene), { source: "operator", oracleE8: usd(600), rejections: 1 })
    tell(scene, 590)
    assert.deepInclude(prices(scene), { source: "external", oracleE8: usd(590), rejections: 0 })
  })

  it("rule 3.6: while sources are paused, only operator prices apply", () => {
    const scene = outside()
    scene.ask({ _tag: "PauseSources", paused: true })
    assert.deepStrictEqual(tell(scene, 201), [])
    say(scene, 210)
    assert.deepStrictEqual(tell(scene, 201), [])
    assert.deepInclude(prices(scene), { source: "operator", oracleE8: usd(210), paused: true })
    scene.ask({ _tag: "PauseSources", paused: false })
    tell(scene, 201)
    assert.deepInclude(prices(scene), { source: "external", oracleE8: usd(201), paused: false })
  })

  it("rule 3.6: while sources are paused, the price turns stale unless an operator sets one", () => {
    const scene = outside()
    scene.ask({ _tag: "PauseSources", paused: true })
    wait(scene, 60_000)
    assert.deepInclude(prices(scene), { source: "stale", paused: true })
  })

  it("rule 1.6: an operator's price beyond the daily bounds moves them", () => {
    const scene = outside()
    say(scene, 259)
    assert.strictEqual(prices(scene).maxPriceTicks, ticks(260))
    say(scene, 400)
    assert.deepInclude(prices(scene), { minPriceTicks: ticks(280), maxPriceTicks: ticks(520) })
    assert.deepStrictEqual(told(scene.buy(1, 400)), ["Accepted"])
  })

  it("rule 1.6: an accepted price outside the daily bounds moves them, and a price inside them does not", () => {
    const scene = outside()
    scene.hold("alice", 2)
    say(scene, 400)
    tell(scene, 290)
    assert.deepInclude(prices(scene), { minPriceTicks: ticks(280), maxPriceTicks: ticks(520) })
    tell(scene, 200)
    assert.deepInclude(prices(scene), { minPriceTicks: ticks(140), maxPriceTicks: ticks(260) })
    scene.buy(2, 200, { account: "bob" })
    scene.close()
    assert.strictEqual(scene.position("alice"), 0)
  })

  it("rule 1.6: an accepted price of 210 sets bounds of 147 and 273", () => {
    const scene = outside(160.5)
    assert.deepInclude(prices(scene), { minPriceTicks: ticks(112.35), maxPriceTicks: ticks(208.65) })
    tell(scene, 210)
    assert.deepInclude(prices(scene), { minPriceTicks: ticks(147), maxPriceTicks: ticks(273) })
  })

  it("rule 1.6: a rejected price does not move the bounds", () => {
    const scene = outside()
    tell(scene, 320)
    assert.deepInclude(prices(scene), { rejections: 1, minPriceTicks: ticks(140), maxPriceTicks: ticks(260) })
  })

  it("rule 1.6: every accepted price lies within the bounds", () => {
    let movedBack = 0
    play(
      200,
      ({ instrument: { tickE8 } }) => {
        let before: Priced | undefined
        return (events) => {
          for (const event of events) {
            if (event._tag !== "Priced" || (event.source !== "external" && event.source !== "operator")) continue
            const { maxPriceTicks, minPriceTicks, oracleE8, source } = event
            assert.isAtLeast(oracleE8, minPriceTicks * tickE8)
            assert.isAtMost(oracleE8, maxPriceTicks * tickE8)
            if (before?.source === "operator" && source === "external" && minPriceTicks !== before.minPriceTicks)
              movedBack++
            before = event
          }
        }
      },
      "hourly"
    )
    assert.isAbove(movedBack, 0)
  })
})

it("a market publishes open interest with prices, or alone if only open interest changed", () => {
  const scene = outside()
  scene.sell(2, 201, { account: "bob" })
  wait(scene, 100)
  scene.buy(2, 201)
  wait(scene, 100)
  assert.strictEqual(prices(scene).openInterestLots, lots(2))
  scene.sell(1, 201, { account: "bob" })
  scene.buy(1, 201)
  assert.deepStrictEqual(told(wait(scene, 100)), ["Priced"])
  assert.strictEqual(prices(scene).openInterestLots, lots(3))
  assert.deepStrictEqual(wait(scene, 100), [])
})

it("I6: recorded prices, including the book's best prices, equal the current prices", () => {
  const scene = quoted(outside())
  tell(scene, 2_000)
  scene.ask({ _tag: "PauseSources", paused: true })
  wait(scene, 61_000)
  assert.deepInclude(prices(scene), { bidTicks: ticks(201), askTicks: ticks(203), rejections: 1, paused: true })
  const replayed = Engine.make(scene.engine.instrument, Engine.defaults)
  for (const event of scene.events) Engine.apply(replayed, event)
  assert.strictEqual(Engine.hash(replayed), Engine.hash(scene.engine))
  const restored = Engine.restore(scene.engine.instrument, Engine.defaults, Engine.snapshot(scene.engine))
  assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine))
})
