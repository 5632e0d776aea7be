/** Tests of price bands and daily bounds, with worked examples. */
import { feeOf } from "@venue/domain/Fee"
import { notional, initialInstruments } from "@venue/domain/Instrument"
import type { Priced } from "@venue/domain/Market"
import { band, bounds, closingPrice, stopBound, widthBps } from "@venue/domain/PriceBand"
import { assert, describe, it } from "@effect/vitest"

const named = (base: string) => initialInstruments.find((instrument) => instrument.base === base)!

/** Prices with a mark of 200.0005 and limits that do not bind. */
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
  openInterestLots: 0,
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

it("rule 5.1: the band of AAPL at 204 is 183.60 to 224.40 while OPEN, and starts at 189.72 while OVERNIGHT", () => {
  assert.deepStrictEqual(band(named("AAPL"), "OPEN", 204e8), { lowerTicks: 18_360, upperTicks: 22_440 })
  assert.deepStrictEqual(band(named("AAPL"), "OVERNIGHT", 204e8), { lowerTicks: 18_972, upperTicks: 21_828 })
  assert.deepStrictEqual(band(named("AAPL"), "WEEKEND", 204e8), { lowerTicks: 19_380, upperTicks: 21_420 })
})

it("rounds the bounds of a price band inwards to the tick", () => {
  assert.deepStrictEqual(band(named("AAPL"), "OPEN", 20_000_050_000), { lowerTicks: 18_001, upperTicks: 22_000 })
})

it("sets the bounds of a day 30 % around the reference price: 112.35 and 208.65 for a price of 160.50", () => {
  assert.deepStrictEqual(bounds(named("AAPL"), 160.5e8), { lowerTicks: 11_235, upperTicks: 20_865 })
})

it("prices a closing order 5 % beyond the mark, but within the price band and the daily bounds", () => {
  const closes = (limits: Partial<Priced>) =>
    [true, false].map((isLong) => closingPrice(named("AAPL"), { ...priced, ...limits }, isLong))
  assert.deepStrictEqual(closes({}), [19_001, 21_000])
  assert.deepStrictEqual(closes({ lowerTicks: 19_200, upperTicks: 20_800 }), [19_200, 20_800])
  assert.deepStrictEqual(closes({ minPriceTicks: 19_100, maxPriceTicks: 20_900 }), [19_100, 20_900])
})

it("rule 5.2: the width of the price band depends on product class and period", () => {
  const widths = (base: string) =>
    (["OPEN", "OVERNIGHT", "WEEKEND"] as const).map((period) => widthBps(named(base), period))
  for (const stock of ["AAPL", "NVDA"]) assert.deepStrictEqual(widths(stock), [1_000, 700, 500])
  for (const narrow of ["US500", "US100", "GOLD"]) assert.deepStrictEqual(widths(narrow), [500, 400, 300])
  for (const other of ["SILVER", "CL", "COPPER"]) assert.deepStrictEqual(widths(other), [700, 500, 400])
  for (const currency of ["EUR", "GBP"]) {
    const [open, , weekend] = widths(currency)
    assert.deepStrictEqual([open, weekend], [200, 100])
  }
})

describe("rule 15.5: worst fill price of a stop", () => {
  const index = named("US500")
  /** US500 at 6,000 while OPEN, with a taker rate of 5 basis points. */
  const at6000 = { ...priced, ...band(index, "OPEN", 6_000e8), markE8: 6_000e8 }
  const sold = (leverage: number) => stopBound(index, at6000, true, leverage, 50_000) / 10
  const bought = (leverage: number) => stopBound(index, at6000, false, leverage, 50_000) / 10

  it("in a band from 5,700 to 6,300, limits a stop's fills at 30x leverage to prices from 5,869.7 to 6,130.3", () => {
    assert.deepStrictEqual([at6000.lowerTicks, at6000.upperTicks], [57_000, 63_000])
    assert.deepStrictEqual([sold(30), bought(30)], [5_869.7, 6_130.3])
  })

  it("limits a stop's fills by the maintenance margin from 14x leverage up, and only by the band below 14x", () => {
    assert.deepStrictEqual([sold(14), bought(14)], [5_717.3, 6_282.7])
    assert.deepStrictEqual([13, 10, 1].map(sold), [5_700, 5_700, 5_700])
    assert.deepStrictEqual([13, 10, 1].map(bought), [6_300, 6_300, 6_300])
  })

  it("a fill at the worst price leaves no debt for a long with its exact maintenance margin, but a tick lower would", () => {
    const one = 10_000
    const maintenance = Math.ceil((notional(index, 60_000, one) * 2) / 90)
    const left = (ticks: number) => {
      const money = notional(index, ticks, one)
      return maintenance + money - notional(index, 60_000, one) - feeOf(money, 50_000)
    }
    assert.strictEqual(maintenance, 133_333_334)
    assert.isAtLeast(left(58_697), 0)
    assert.isBelow(left(58_696), 0)
  })

  it("a lower fee rate allows a worse fill price: 186.79 at 6 basis points instead of 186.87", () => {
    const at200 = { ...priced, ...band(named("AAPL"), "OPEN", 200e8), markE8: 200e8 }
    const prices = [100_000, 60_000].map((rate) => stopBound(named("AAPL"), at200, true, 10, rate))
    assert.deepStrictEqual(prices, [18_687, 18_679])
  })
})
