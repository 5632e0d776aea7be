/** Tests that hand-printed frames of the market-data socket match their Schemas exactly. */
import { Channel, Interval, SigFigs } from "@venue/api/marketData/CommandSchema"
import * as Frame from "@venue/api/marketData/Frame"
import { marketStats } from "@venue/api/marketData/StatsFrame"
import * as Schemas from "@venue/api/marketData/FrameSchema"
import { parse } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import type { Priced, Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { frameFault } from "../../SocketFrames.ts"

const decode = Schema.decodeUnknownSync(Schemas.Frame)

const holds = (frame: string): void => {
  const parsed = JSON.parse(frame)
  expect(decode(parsed, { onExcessProperty: "error" })).toEqual(parsed)
  expect(frameFault("market_data", frame)).toBeUndefined()
}

const count = fc.nat({ max: 1_000_000_000 })
const level = fc.record({ priceTicks: count, quantityLots: count })
const instrument = fc.constantFrom(...initialInstruments)
const millis = fc.integer({ min: 0, max: 4_102_444_800_000 })
const sequence = fc.integer({ min: 1 })
const sigFigs = fc.constantFrom(...SigFigs.literals)

it("frames of books, best prices, trades and mark prices match their Schemas", () => {
  const levels = fc.array(level, { maxLength: 25 })
  fc.assert(
    fc.property(
      instrument,
      levels,
      levels,
      sigFigs,
      millis,
      sequence,
      (instrument, bids, asks, figures, at, number) => {
        holds(Frame.frame(Frame.level2(instrument, bids, asks, figures, at), number))
        holds(Frame.frame(Frame.bbo(instrument, bids[0], asks[0], at), number))
      }
    )
  )
  fc.assert(
    fc.property(
      instrument,
      fc.uuid(),
      level,
      fc.constantFrom("BUY", "SELL"),
      millis,
      sequence,
      (...[listed, id, of, side, at, number]) => {
        const taken = { order: { side } } as Traded["taker"]
        const traded = {
          tradeId: parse(id)!,
          priceTicks: of.priceTicks,
          quantityLots: of.quantityLots,
          taker: taken,
          atMillis: at
        } as Traded
        holds(Frame.frame(Frame.trade(listed, traded), number))
        holds(Frame.frame(Frame.markPrice(listed, of.priceTicks, at), number))
        holds(Frame.frame(Frame.openInterest(listed, of.quantityLots, at), number))
        const range = { lowerTicks: of.priceTicks, upperTicks: of.quantityLots }
        holds(Frame.frame(Frame.minmaxPrice(listed, range, at), number))
      }
    )
  )
})

it("underlier and funding frames match their Schemas", () => {
  const source = fc.constantFrom("external", "internal", "operator", "stale")
  const rate = fc.integer({ min: -100_000_000_000, max: 100_000_000_000 })
  fc.assert(
    fc.property(
      instrument,
      count,
      source,
      rate,
      millis,
      sequence,
      (...[listed, oracleE8, from, rateE12, at, number]) => {
        holds(Frame.frame(Frame.underlier(listed, { oracleE8, source: from, atMillis: at } as Priced), number))
        holds(Frame.frame(Frame.funding(listed, rateE12, at), number))
      }
    )
  )
})

it("frames of candles and market statistics match their Schemas", () => {
  const volume = fc.record({
    lots: fc.bigInt({ min: 0n, max: 10n ** 16n }),
    notional: fc.bigInt({ min: 0n, max: 10n ** 16n })
  })
  const candle = fc.record({
    startMinute: fc.nat({ max: 60_000_000 }),
    openE8: count,
    highE8: count,
    lowE8: count,
    closeE8: count,
    notional: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    trades: count
  })
  const stats = fc.record({
    instrument,
    bid: fc.option(level, { nil: undefined }),
    ask: fc.option(level, { nil: undefined }),
    markE8: count,
    pricedAtMillis: millis,
    openInterestLots: count,
    rateE12: fc.integer({ min: -100_000_000_000, max: 100_000_000_000 }),
    volumes: fc.option(fc.record({ daily: volume, rolling: volume }), { nil: undefined })
  })
  fc.assert(
    fc.property(
      instrument,
      fc.constantFrom(...Interval.literals),
      candle,
      fc.array(stats, { maxLength: 3 }),
      millis,
      sequence,
      (...[listed, interval, window, markets, at, number]) => {
        holds(Frame.frame(Frame.candle(listed, interval, window), number))
        holds(Frame.frame(marketStats("*", markets, at), number))
      }
    )
  )
})

it("confirmation and error frames match their Schemas", () => {
  fc.assert(
    fc.property(
      fc.subarray([...Channel.literals]),
      fc.array(fc.string()),
      fc.subarray([...SigFigs.literals]),
      fc.subarray([...Interval.literals]),
      (...[channels, symbols, sigFigs, intervals]) => {
        for (const _tag of ["Subscribe", "Unsubscribe"] as const) {
          holds(
            Frame.confirmation({
              _tag,
              channels,
              symbols,
              markets: symbols.map((symbol) => MarketSymbol.make(symbol)),
              sigFigs,
              intervals,
              declined: []
            })
          )
        }
      }
    )
  )
  holds(Frame.err("InvalidParameter", "unknown symbol", '{"type":"subscribe"}'))
  holds(Frame.rateLimited(100, undefined))
})
