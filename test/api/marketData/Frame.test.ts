/** Tests of market-data socket frames, against the reference examples. */
import * as Frame from "@venue/api/marketData/Frame"
import { marketStats } from "@venue/api/marketData/StatsFrame"
import { decode } from "@venue/api/marketData/Subscription"
import { parse } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import type { Priced, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!
const atMillis = Date.parse("2026-09-27T14:40:44.118Z")
const levels = (...pairs: ReadonlyArray<readonly [number, number]>): ReadonlyArray<Frame.PriceLevel> =>
  pairs.map(([priceTicks, quantityLots]) => ({ priceTicks, quantityLots }))

const confirmed = (text: string): unknown => {
  const decoded = decode(text, new Set([gold.symbol]))
  if (decoded._tag === "Malformed") throw new Error(decoded.message)
  return JSON.parse(Frame.confirmation(decoded))
}

describe("reference examples of market-data frames", () => {
  it("level2: prints prices with the tick's decimals, and sizes without trailing zeros", () => {
    const body = Frame.level2(
      gold,
      levels([34_111, 4_250], [34_110, 12_500]),
      levels([34_113, 2_000], [34_114, 9_750]),
      0,
      atMillis
    )
    expect(JSON.parse(Frame.frame(body, 48_213))).toEqual({
      type: "level2",
      sequence: 48213,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      bid: [
        ["3411.1", "4.25"],
        ["3411.0", "12.5"]
      ],
      ask: [
        ["3411.3", "2"],
        ["3411.4", "9.75"]
      ],
      sig_figs: 0
    })
  })

  it("bbo: prints at most one level per side", () => {
    const bid = { priceTicks: 34_111, quantityLots: 4_250 }
    expect(JSON.parse(Frame.frame(Frame.bbo(gold, bid, undefined, atMillis), 1))).toEqual({
      type: "bbo",
      sequence: 1,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      bid: [["3411.1", "4.25"]],
      ask: []
    })
  })

  it("trade: prints the taker's side in lower case", () => {
    const order = { side: "SELL" } as Order
    const traded: Traded = {
      _tag: "Traded",
      tradeId: parse("a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82")!,
      number: 1,
      priceTicks: 34_111,
      quantityLots: 1_500,
      notional: 0,
      maker: { order: { ...order, side: "BUY" }, fee: 0, realised: 0, marginUsed: 0, reward: null },
      taker: { order, fee: 0, realised: 0, marginUsed: 0, reward: null },
      atMillis
    }
    expect(JSON.parse(Frame.frame(Frame.trade(gold, traded), 48_215))).toEqual({
      type: "trade",
      sequence: 48215,
      trade_id: "a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82",
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      size: "1.5",
      price: "3411.1",
      side: "sell",
      execution_type: "T"
    })
  })

  it("trade: prints T or L for a trade in the book, A for a takeover or deleveraging, and S for a settlement", () => {
    const printed = (offBook: Traded["offBook"], origin: Order["origin"]) => {
      const order = { side: "SELL", origin } as Order
      const traded = { tradeId: parse("a7d9f0c4-1e6b-4d38-b2a5-90c17e5f3d82")!, taker: { order }, offBook, atMillis }
      return JSON.parse(
        Frame.frame(Frame.trade(gold, { ...traded, priceTicks: 1, quantityLots: 1 } as unknown as Traded), 1)
      ).execution_type
    }
    expect([printed(undefined, "USER"), printed(undefined, "LIQUIDATION")]).toEqual(["T", "L"])
    expect((["TAKEOVER", "DELEVERAGING", "SETTLEMENT"] as const).map((why) => printed(why, "LIQUIDATION"))).toEqual([
      "A",
      "A",
      "S"
    ])
  })

  it("candle: rounds the volume down to whole USD", () =>
    expect(
      JSON.parse(
        Frame.frame(
          Frame.candle(gold, "1MIN", {
            startMinute: Date.parse("2026-09-27T14:40:00Z") / 60_000,
            openE8: 341_040_000_000,
            highE8: 341_130_000_000,
            lowE8: 341_020_000_000,
            closeE8: 341_110_000_000,
            notional: 18_250_999_999n,
            trades: 23
          }),
          48_216
        )
      )
    ).toEqual({
      type: "candle",
      sequence: 48216,
      symbol: "GOLD-USD",
      start: "2026-09-27T14:40:00Z",
      resolution: "1MIN",
      open: "3410.4",
      high: "3411.3",
      low: "3410.2",
      close: "3411.1",
      usdVolume: 18250,
      trades: 23
    }))

  it("market_stats: prints a list entry for each covered symbol", () => {
    const market = {
      instrument: gold,
      bid: { priceTicks: 34_111, quantityLots: 4_250 },
      ask: undefined,
      markE8: 341_095_000_000,
      pricedAtMillis: atMillis - 118,
      openInterestLots: 1_834_500,
      rateE12: 20_000_000,
      volumes: {
        daily: { lots: 912_750n, notional: 0n },
        rolling: { lots: 2_204_500n, notional: 7_519_034_150_000n }
      }
    }
    const [time, symbol] = ["2026-09-27T14:40:44.118Z", "GOLD-USD"]
    const priced = { time: "2026-09-27T14:40:44.000Z", symbol }
    expect(JSON.parse(Frame.frame(marketStats("*", [market], atMillis), 48_222))).toEqual({
      type: "market_stats",
      sequence: 48222,
      time,
      symbol: "*",
      bbos: [{ time, symbol, bid: [["3411.1", "4.25"]], ask: [] }],
      mark_prices: [{ ...priced, price: "3410.95" }],
      open_interests: [{ ...priced, open_interest: "1834.5" }],
      daily_volumes: [{ symbol, volume: "912.75" }],
      funding_rates: [
        { time, symbol, funding_rate: "0.00002", annualised_funding_rate: "0.1752", time_remaining: 1156 }
      ],
      rolling_volumes: [{ symbol, quantity_24h: "2204.5", usd_notional_24h: "7519034.15" }]
    })
    expect(
      JSON.parse(Frame.frame(marketStats("*", [{ ...market, volumes: undefined }], atMillis), 1)).rolling_volumes
    ).toEqual([])
  })

  it("mark_price: prints a price that lies between ticks", () =>
    expect(JSON.parse(Frame.frame(Frame.markPrice(gold, 341_095_000_000, atMillis), 48_218))).toEqual({
      type: "mark_price",
      sequence: 48218,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      price: "3410.95"
    }))

  it("underlier: prints whether the price source is external or internal", () => {
    const printed = (source: Priced["source"]) =>
      JSON.parse(Frame.frame(Frame.underlier(gold, { oracleE8: 341_087_000_000, source, atMillis } as Priced), 48_217))
    expect(printed("external")).toEqual({
      type: "underlier",
      sequence: 48217,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      price: "3410.87",
      source: "external"
    })
    expect((["operator", "internal", "stale"] as const).map((source) => printed(source).source)).toEqual([
      "external",
      "internal",
      "internal"
    ])
  })

  it("funding: prints the hourly rate, the annual rate and the remaining seconds", () => {
    const printed = (rateE12: number, at = atMillis) =>
      JSON.parse(Frame.frame(Frame.funding(gold, rateE12, at), 48_219))
    expect(printed(20_000_000)).toEqual({
      type: "funding",
      sequence: 48219,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      funding_rate: "0.00002",
      annualised_funding_rate: "0.1752",
      time_remaining: 1156
    })
    expect(printed(-20_333_333)).toMatchObject({ funding_rate: "-0.00002033", annualised_funding_rate: "-0.1781" })
    expect(printed(-4_000)).toMatchObject({ funding_rate: "0", annualised_funding_rate: "0" })
    expect(printed(6_000)).toMatchObject({ funding_rate: "0.00000001", annualised_funding_rate: "0.0001" })
    const hour = Date.parse("2026-09-27T15:00:00Z")
    expect([hour - 1, hour, hour + 1].map((at) => printed(0, at).time_remaining)).toEqual([1, 3_600, 3_600])
  })

  it("open_interest: prints base units exactly, even beyond the safe integers", () => {
    expect(JSON.parse(Frame.frame(Frame.openInterest(gold, 1_834_500, atMillis), 48_220))).toEqual({
      type: "open_interest",
      sequence: 48220,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      open_interest: "1834.5"
    })
    const many = Frame.frame(Frame.openInterest(gold, 9_007_199_254_740_991, atMillis), 1)
    expect(JSON.parse(many).open_interest).toBe("9007199254740.991")
  })

  it("minmax_price: prints prices with the tick's decimals", () =>
    expect(
      JSON.parse(Frame.frame(Frame.minmaxPrice(gold, { lowerTicks: 32_400, upperTicks: 35_815 }, atMillis), 48_221))
    ).toEqual({
      type: "minmax_price",
      sequence: 48221,
      time: "2026-09-27T14:40:44.118Z",
      symbol: "GOLD-USD",
      min_price: "3240.0",
      max_price: "3581.5"
    }))

  it("a confirmation lists groupings only for a level2 subscription", () => {
    expect(confirmed(`{"type":"subscribe","channels":["level2"],"symbols":["GOLD-USD"],"sig_figs":[0]}`)).toEqual({
      type: "subscribed",
      channels: ["level2"],
      symbols: ["GOLD-USD"],
      sig_figs: [0]
    })
    expect(confirmed(`{"type":"unsubscribe","channels":["bbo"],"symbols":["GOLD-USD"]}`)).toEqual({
      type: "unsubscribed",
      channels: ["bbo"],
      symbols: ["GOLD-USD"]
    })
  })

  it("an error frame contains a copy of the request", () => {
    const request = `{"type":"subscribe","channels":["bbo"],"symbols":["FOO-USD"]}`
    const decoded = decode(request, new Set())
    if (decoded._tag === "Malformed") throw new Error(decoded.message)
    expect(decoded.declined.map(({ code, message }) => Frame.err(code, message, request))).toEqual([
      `{"err":{"error_code":"InvalidParameter","message":"unknown symbol FOO-USD","incoming_message":${request}}}`
    ])
  })
})

describe("a grouped book", () => {
  it("a grouped book rounds bid prices down and ask prices up, and sums levels at the same price", () => {
    const bids = levels([34_119, 1], [34_111, 2], [34_110, 3], [34_109, 4])
    const asks = levels([34_120, 1], [34_121, 2], [34_130, 3], [34_131, 4])
    const grouped = JSON.parse(Frame.frame(Frame.level2(gold, bids, asks, 1, atMillis), 1))
    expect(grouped.bid).toEqual([
      ["3411.0", "0.006"],
      ["3410.0", "0.004"]
    ])
    expect(grouped.ask).toEqual([
      ["3412.0", "0.001"],
      ["3413.0", "0.005"],
      ["3414.0", "0.004"]
    ])
    const coarse = JSON.parse(Frame.frame(Frame.level2(gold, bids, asks, 2, atMillis), 1))
    expect(coarse).toMatchObject({ bid: [["3410.0", "0.01"]], ask: [["3420.0", "0.01"]], sig_figs: 2 })
  })

  it("a grouped book has at most 20 levels, and the last level contains its whole quantity", () => {
    const bids = levels(...Array.from({ length: 500 }, (_, at) => [40_000 - at, 1] as const))
    for (const sigFigs of [0, 1] as const) {
      const { bid } = JSON.parse(Frame.frame(Frame.level2(gold, bids, [], sigFigs, atMillis), 1))
      expect(bid).toHaveLength(20)
      expect(bid[19][1]).toBe(sigFigs === 0 ? "0.001" : "0.01")
    }
  })

  it("grouping keeps each bid below each ask, and loses no quantity", () => {
    const side = fc.uniqueArray(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(side, side, fc.constantFrom(0, 1, 2), (below, above, sigFigs) => {
        const bids = levels(...below.sort((a, b) => a - b).map((gap) => [30_000 - gap, gap] as const))
        const asks = levels(...above.sort((a, b) => a - b).map((gap) => [30_000 + gap, gap] as const))
        const { ask, bid } = JSON.parse(Frame.frame(Frame.level2(gold, bids, asks, sigFigs as 0, atMillis), 1))
        expect(Number(bid[0][0])).toBeLessThan(Number(ask[0][0]))
        if (bid.length < 20) {
          const total = bid.reduce((sum: number, [, size]: [string, string]) => sum + Math.round(Number(size) * 1e3), 0)
          expect(total).toBe(below.reduce((sum, lots) => sum + lots, 0))
        }
      })
    )
  })
})
