/** Tests of charts: responses as in the reference examples, and windows without events. */
import { Candle, candlesOf, type PricedWindow, type TradedWindow } from "@venue/api/rest/Candles"
import { intervals, minutes, resolutions, startOf } from "@venue/api/rest/ChartRange"
import { FundingHistoricResponseBody, fundingPoint } from "@venue/api/rest/FundingRates"
import { longShortPoint, SymbolLongShortHistoricResponseBody } from "@venue/api/rest/LongShort"
import { OpenInterestHistoricResponseBody, openInterestPoint } from "@venue/api/rest/OpenInterest"
import { TakerVolumeHistoricResponseBody, takerVolumePoint } from "@venue/api/rest/TakerVolume"
import { UnderlierHistoricResponseBody, underlierPoints } from "@venue/api/rest/Underlier"
import { minuteOf } from "@venue/domain/Minute"
import { assert, describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { gold } from "./Answering.ts"

const start = minuteOf(Date.UTC(2026, 8, 27, 14))
const windowStart = "2026-09-27T14:00:00Z"

/** One hour of the reference example: prices in ticks of 0.1, quantities in lots of 0.001. */
const traded: TradedWindow = {
  startMinute: start,
  openTicks: 34_048,
  highTicks: 34_129,
  lowTicks: 34_021,
  closeTicks: 34_111,
  volumeLots: 318_250n,
  notional: 1_084_420_600_000n,
  trades: 911
}
const priced: PricedWindow = {
  startMinute: start,
  markCloseE8: 341_095_000_000,
  middleOpenHalfTicks: 68_097,
  middleCloseHalfTicks: 68_224,
  openInterestCloseLots: 1_834_500
}
const nothing = { closeTicks: 0, markE8: 0, middleHalfTicks: 0, openInterestLots: 0 }

describe("candles", () => {
  it("prints candles as in the reference example", () => {
    const before = { ...nothing, openInterestLots: 1_820_250 }
    const [candle] = candlesOf(gold, {
      resolution: "1HOUR",
      starts: [start],
      traded: [traded],
      priced: [priced],
      before
    })
    expect(candle).toEqual({
      startedAt: windowStart,
      ticker: "GOLD-USD",
      resolution: "1HOUR",
      low: "3402.1",
      high: "3412.9",
      open: "3404.8",
      close: "3411.1",
      baseTokenVolume: "318.25",
      usdVolume: "1084420.6",
      trades: 911,
      startingOpenInterest: "1820.25",
      orderbookMidPriceOpen: "3404.85",
      orderbookMidPriceClose: "3411.2"
    })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Candle)(candle), candle)
  })

  it("in a candle without a trade, repeats the last close, mid price and open interest", () => {
    const starts = [start - 60, start, start + 60]
    const before = { closeTicks: 34_000, markE8: 340_000_000_000, middleHalfTicks: 68_010, openInterestLots: 1_000 }
    const candles = candlesOf(gold, { resolution: "1HOUR", starts, traded: [traded], priced: [priced], before })
    assert.deepStrictEqual(
      candles.map((candle) => [
        candle.startedAt.slice(11, 16),
        [candle.open, candle.high, candle.low, candle.close].join(" "),
        [candle.baseTokenVolume, candle.usdVolume, candle.trades].join(" "),
        [candle.startingOpenInterest, candle.orderbookMidPriceOpen, candle.orderbookMidPriceClose].join(" ")
      ]),
      [
        ["15:00", "3411.1 3411.1 3411.1 3411.1", "0 0 0", "1834.5 3411.2 3411.2"],
        ["14:00", "3404.8 3412.9 3402.1 3411.1", "318.25 1084420.6 911", "1 3404.85 3411.2"],
        ["13:00", "3400 3400 3400 3400", "0 0 0", "1 3400.5 3400.5"]
      ]
    )
  })

  it("uses the mark price for a candle before the first trade, and as the mid price of a one-sided book", () => {
    const empty = { ...priced, middleOpenHalfTicks: 0, middleCloseHalfTicks: 0 }
    const starts = [start, start + 60]
    const candles = candlesOf(gold, { resolution: "1HOUR", starts, traded: [], priced: [empty], before: nothing })
    for (const candle of candles) {
      const { close, high, low, open, orderbookMidPriceClose, orderbookMidPriceOpen } = candle
      assert.deepStrictEqual(
        [open, high, low, close, orderbookMidPriceOpen, orderbookMidPriceClose],
        Array.from({ length: 6 }, () => "3410.95")
      )
    }
  })
})

describe("points", () => {
  it("prints points as in the reference examples", () => {
    const bodies = [
      [
        FundingHistoricResponseBody,
        fundingPoint("GOLD-USD", 60, start, 20_000_000),
        { symbol: "GOLD-USD", intervalMinutes: 60, windowStart, rate: 0.00002 }
      ],
      [
        OpenInterestHistoricResponseBody,
        openInterestPoint(gold, 60, start, 1_834_500),
        { symbol: "GOLD-USD", intervalMinutes: 60, windowStart, openInterest: 1834.5 }
      ],
      [
        SymbolLongShortHistoricResponseBody,
        longShortPoint("GOLD-USD", "1h", start, { longUsers: 214, shortUsers: 171 }),
        { symbol: "GOLD-USD", interval: "1h", windowStart, longUsers: 214, shortUsers: 171 }
      ],
      [
        TakerVolumeHistoricResponseBody,
        takerVolumePoint(gold, 60, start, {
          volumeLots: 318_250n,
          notional: 1_084_420_600_000n,
          takerBuyLots: 190_500n,
          takerBuyNotional: 649_000_200_000n
        }),
        {
          symbol: "GOLD-USD",
          intervalMinutes: 60,
          windowStart,
          takerBuyQty: 190.5,
          takerSellQty: 127.75,
          takerBuyNotional: 649000.2,
          takerSellNotional: 435420.4,
          netTakerQty: 62.75
        }
      ],
      [
        UnderlierHistoricResponseBody,
        underlierPoints("GOLD-USD", "1h", [start], [oracle], 0)[0],
        {
          symbol: "GOLD-USD",
          interval: "1h",
          windowStart,
          openPrice: 3404.6,
          highPrice: 3412.7,
          lowPrice: 3402,
          closePrice: 3410.9
        }
      ]
    ] as const
    for (const [body, point, expected] of bodies) {
      assert.deepStrictEqual<unknown>(point, expected)
      const whole = { count: 1, data: [expected] }
      assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(body as Schema.Decoder<unknown>)(whole), whole)
    }
  })

  it("prints funding points with the market-data socket's rate, rounded to eight decimals", () => {
    const rateOf = (rateE12: number) => fundingPoint("GOLD-USD", 60, start, rateE12).rate
    assert.deepStrictEqual(
      [123_456_789, 123_454_999, -20_333_333, 5_000].map(rateOf),
      [0.00012346, 0.00012345, -0.00002033, 0.00000001]
    )
  })

  it("prints null or 0 as the values of a point without data", () => {
    assert.isNull(fundingPoint("GOLD-USD", 60, start, undefined).rate)
    assert.isNull(openInterestPoint(gold, 60, start, undefined).openInterest)
    assert.include(longShortPoint("GOLD-USD", "1h", start), { longUsers: 0, shortUsers: 0 })
    assert.include(takerVolumePoint(gold, 60, start), { takerBuyQty: 0, takerSellNotional: 0, netTakerQty: 0 })
  })

  it("repeats the last underlier price in windows in which the price did not change", () => {
    const points = underlierPoints("GOLD-USD", "1h", [start - 60, start, start + 60], [oracle], 340_000_000_000)
    assert.deepStrictEqual(
      points.map((point) => [point.openPrice, point.highPrice, point.lowPrice, point.closePrice]),
      [
        [3400, 3400, 3400, 3400],
        [3404.6, 3412.7, 3402, 3410.9],
        [3410.9, 3410.9, 3410.9, 3410.9]
      ]
    )
  })
})

const oracle = {
  startMinute: start,
  oracleOpenE8: 340_460_000_000,
  oracleHighE8: 341_270_000_000,
  oracleLowE8: 340_200_000_000,
  oracleCloseE8: 341_090_000_000
}

describe("window lengths", () => {
  it("accepts only the offered window lengths, in each of their notations", () => {
    const words = ["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"]
    const lengths = [1, 5, 15, 30, 60, 240, 1_440]
    assert.deepStrictEqual(words.map(resolutions.minutesOf), lengths)
    assert.deepStrictEqual(words.map(intervals.minutesOf), lengths)
    assert.deepStrictEqual(["1m", "5m", "15m", "30m", "1h", "4h", "1d"].map(intervals.minutesOf), lengths)
    assert.deepStrictEqual(lengths.map(minutes.minutesOf), lengths)
    for (const odd of ["15m", "1hour", "", "constructor"]) assert.isUndefined(resolutions.minutesOf(odd))
    for (const odd of [0, -1, 7, 2_880, 10_080]) assert.isUndefined(minutes.minutesOf(odd))
    assert.strictEqual(startOf(start), windowStart)
  })
})
