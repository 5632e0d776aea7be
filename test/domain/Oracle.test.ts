/** Tests of external prices, with worked examples. */
import { initialInstruments } from "@venue/domain/Instrument"
import * as Oracle from "@venue/domain/Oracle"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

const usd = (price: number): number => Math.round(price * 1e8)
const anywhere = { lowerE8: 0, upperE8: usd(1e6) }

it("rule 3.1: accepts prices from 100 to 300 after a price of 200, and rejects 320", () => {
  assert.deepStrictEqual(Oracle.believable(usd(200)), { lowerE8: usd(100), upperE8: usd(300) })
  assert.deepStrictEqual(Oracle.believable(3), { lowerE8: 2, upperE8: 4 })
})

it("rule 3.2: limits the AAPL price to 36,885.24 at an open interest of 122,000", () => {
  const apple = initialInstruments.find(({ symbol }) => symbol === "AAPL-USD")!
  assert.strictEqual(Math.floor(Oracle.highestTradableE8(apple, 122_000_000) / 1e6), 3_688_524)
  assert.strictEqual(Oracle.highestTradableE8(apple, 0), usd(10_000_000))
  assert.strictEqual(Oracle.highestTradableE8(apple, 1), usd(10_000_000))
})

it("rule 3.7: returns the mean of two sources, and the median of three or more", () => {
  assert.strictEqual(Oracle.median([]), undefined)
  assert.strictEqual(Oracle.median([7]), 7)
  assert.strictEqual(Oracle.median([usd(201), usd(200)]), usd(200.5))
  assert.strictEqual(Oracle.median([3, 2]), 2)
  assert.strictEqual(Oracle.median([usd(2_000), usd(200), usd(201)]), usd(201))
  assert.strictEqual(Oracle.median([5, 9, 1, 8]), 6)
})

it("rule 3.4: moves the price from 200 to 200.033 in one minute if the mid price is 202", () => {
  assert.strictEqual(Oracle.drifted(usd(200), usd(202), 60_000, anywhere, anywhere), usd(200) + 3_305_709)
  assert.deepStrictEqual(Oracle.reach(usd(200), 10), { lowerE8: usd(180), upperE8: usd(220) })
})

it("rule 3.4: limits the mid price to the price band, and the derived price to its maximum distance", () => {
  const band = { lowerE8: usd(190), upperE8: usd(210) }
  const reach = Oracle.reach(usd(200), 10)
  const atEdge = Oracle.drifted(usd(200), usd(210), 60_000, band, reach)
  assert.strictEqual(Oracle.drifted(usd(200), usd(900), 60_000, band, reach), atEdge)
  assert.strictEqual(Oracle.drifted(usd(219.99), usd(900), 60_000, anywhere, reach), usd(220))
  assert.strictEqual(Oracle.drifted(usd(180.01), usd(1), 60_000, anywhere, reach), usd(180))
})

it("rule 3.4: moves the price by the same amount in one step as in many steps, up to rounding", () => {
  fc.assert(
    fc.property(fc.integer({ min: usd(150), max: usd(250) }), (midE8) => {
      let steps = usd(200)
      for (let i = 0; i < 60; i++) steps = Oracle.drifted(steps, midE8, 1_000, anywhere, anywhere)
      assert.closeTo(steps, Oracle.drifted(usd(200), midE8, 60_000, anywhere, anywhere), 60)
    })
  )
})
