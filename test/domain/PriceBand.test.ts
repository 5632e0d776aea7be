/** Bands and bounds by their worked numbers. */
import { starters } from "@venue/domain/Instrument"
import type { Priced } from "@venue/domain/Market"
import { band, bounds, closingPrice, widthBps } from "@venue/domain/PriceBand"
import { assert, it } from "@effect/vitest"

const named = (base: string) => starters.find((instrument) => instrument.base === base)!

/** At a mark of 200.0005, with limits that bind nothing. */
const priced: Priced = {
  _tag: "Priced",
  source: "operator",
  toldE8: 20_000_050_000,
  toldAtMillis: 0,
  rejections: 0,
  freshMarkE8: 20_000_050_000,
  paused: false,
  bidTicks: 0,
  askTicks: 0,
  oracleE8: 20_000_050_000,
  markE8: 20_000_050_000,
  premiumE8: 0,
  lowerTicks: 1,
  upperTicks: 40_000,
  minPriceTicks: 1,
  maxPriceTicks: 40_000,
  limitShareBps: 10_000,
  atMillis: 0
}

it("AAPL at 204 may be bought to 224.40 and sold from 183.60 while open, 214.20 and 193.80 on a weekend", () => {
  assert.deepStrictEqual(band(named("AAPL"), "OPEN", 204e8), { lowerTicks: 18_360, upperTicks: 22_440 })
  assert.deepStrictEqual(band(named("AAPL"), "WEEKEND", 204e8), { lowerTicks: 19_380, upperTicks: 21_420 })
})

it("bands are rounded inwards to the tick", () => {
  assert.deepStrictEqual(band(named("AAPL"), "OPEN", 20_000_050_000), { lowerTicks: 18_001, upperTicks: 22_000 })
})

it("static bounds are 30 percent round the reference: 112.35 and 208.65 round 160.50", () => {
  assert.deepStrictEqual(bounds(named("AAPL"), 160.5e8), { lowerTicks: 11_235, upperTicks: 20_865 })
})

it("a close is priced five percent through the mark, rounded towards it, and within the band and the bounds", () => {
  const closes = (limits: Partial<Priced>) =>
    [true, false].map((isLong) => closingPrice(named("AAPL"), { ...priced, ...limits }, isLong))
  assert.deepStrictEqual(closes({}), [19_001, 21_000])
  assert.deepStrictEqual(closes({ lowerTicks: 19_200, upperTicks: 20_800 }), [19_200, 20_800])
  assert.deepStrictEqual(closes({ minPriceTicks: 19_100, maxPriceTicks: 20_900 }), [19_100, 20_900])
})

it("gold is banded like an index, other commodities wider", () => {
  assert.deepStrictEqual(
    ["US500", "GOLD", "CL", "EUR"].map((base) => widthBps(named(base), "OPEN")),
    [500, 500, 700, 200]
  )
  assert.deepStrictEqual(
    ["US500", "GOLD", "CL", "EUR"].map((base) => widthBps(named(base), "WEEKEND")),
    [300, 300, 400, 100]
  )
})
