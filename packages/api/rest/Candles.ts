/** `GET /candles/{symbol}`: trades, open interest and mid price of each window. */
import type { Candle as DomainCandle } from "@venue/domain/Candle"
import type { Instrument } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import * as Digits from "../Digits.ts"
import { described } from "../Parameter.ts"
import { chartHeaders, chartParameters, chartParams, chartRefusals, resolutionQuery, startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Trades of one window. */
export const Candle = Schema.Struct({
  $schema: SchemaLink,
  startedAt: Schema.String.annotate({ description: "Window start, ISO 8601 in UTC." }),
  ticker: Schema.String.annotate({ description: "Market symbol." }),
  resolution: Schema.String.annotate({ description: "Length of the window, such as `1HOUR`." }),
  low: Schema.String.annotate({
    description: "Lowest price traded, in USD, decimal text; the previous close if the window has no trade."
  }),
  high: Schema.String.annotate({
    description: "Highest price traded, in USD, decimal text; the previous close if the window has no trade."
  }),
  open: Schema.String.annotate({
    description: "First price traded, in USD, decimal text; the previous close if the window has no trade."
  }),
  close: Schema.String.annotate({
    description: "Last price traded, in USD, decimal text; the previous close if the window has no trade."
  }),
  baseTokenVolume: Schema.String.annotate({ description: "Quantity traded, in base units, decimal text." }),
  usdVolume: Schema.String.annotate({ description: "Notional traded, in USD, decimal text." }),
  trades: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "Number of trades." }),
  startingOpenInterest: Schema.String.annotate({
    description: "Open interest at the start of the window, in base units, decimal text."
  }),
  orderbookMidPriceOpen: Schema.String.annotate({
    description: "Mid price of the order book at the start of the window, in USD, decimal text."
  }),
  orderbookMidPriceClose: Schema.String.annotate({
    description: "Mid price of the order book at the end of the window, in USD, decimal text."
  })
}).annotate({ identifier: "Candle", description: "Prices, volume and open interest of one window." })
export type Candle = typeof Candle.Type

/** Response body of `GET /candles/{symbol}`. */
export const CandlesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  candles: Rows(Candle).annotate({ description: "Windows, newest first." })
}).annotate({
  identifier: "CandlesResponseBody"
})

export const CandlesGroup = HttpApiGroup.make("candles").add(
  HttpApiEndpoint.get("candles", "/candles/:symbol", {
    params: chartParams,
    query: resolutionQuery,
    success: HttpApiSchema.WithHeaders(CandlesResponseBody, chartHeaders),
    error: chartRefusals
  })
    .annotateMerge(
      operation(
        "List candles",
        "Returns the candles of a market, one for each window, newest first. Refused with 404 for an unknown symbol, and " +
          "with 400 for an unsupported resolution or a range of too many windows. No credentials are " +
          "needed."
      )
    )
    .annotate(OpenApi.Transform, described(chartParameters))
)

/** Trades of one window. */
export interface TradedWindow extends DomainCandle {
  readonly startMinute: number
}

/** Prices and open interest of a window; mid prices are 0 if a side of the book was empty throughout. */
export interface PricedWindow {
  readonly startMinute: number
  readonly markCloseE8: number
  readonly middleOpenHalfTicks: number
  readonly middleCloseHalfTicks: number
  readonly openInterestCloseLots: number
}

/** Last values before the first window; 0 for a new market. */
export interface Before {
  readonly closeTicks: number
  readonly markE8: number
  readonly middleHalfTicks: number
  readonly openInterestLots: number
}

/** Input for a chart: the starts of its windows, and the windows with trades or prices. */
export interface Traded {
  readonly resolution: string
  /** Starts of all windows in Unix minutes, earliest first. */
  readonly starts: ReadonlyArray<number>
  readonly traded: ReadonlyArray<TradedWindow>
  readonly priced: ReadonlyArray<PricedWindow>
  readonly before: Before
}

/**
 * Returns the candles, newest first. A window without a trade repeats the previous close, or the mark price before
 * the first trade. The mark price also stands in for the mid price until both sides of the book have had orders.
 */
export const candlesOf = (instrument: Instrument, { before, priced, resolution, starts, traded }: Traded) => {
  const tradedAt = new Map(traded.map((window) => [window.startMinute, window]))
  const pricedAt = new Map(priced.map((window) => [window.startMinute, window]))
  const { lotE8, symbol, tickE8 } = instrument
  const price = (ticks: number) => Digits.units(ticks * tickE8)
  const middle = (halfTicks: number) => Digits.units(halfTicks === 0 ? markE8 : (halfTicks * tickE8) / 2)
  let { closeTicks, markE8, middleHalfTicks, openInterestLots } = before
  const candles = starts.map((start): Candle => {
    const trades = tradedAt.get(start)
    const prices = pricedAt.get(start)
    const startingOpenInterest = Digits.units(openInterestLots * lotE8)
    markE8 = prices?.markCloseE8 ?? markE8
    openInterestLots = prices?.openInterestCloseLots ?? openInterestLots
    const openHalfTicks = prices?.middleOpenHalfTicks || middleHalfTicks
    middleHalfTicks = prices?.middleCloseHalfTicks || middleHalfTicks
    closeTicks = trades?.closeTicks ?? closeTicks
    const still = closeTicks === 0 ? Digits.units(markE8) : price(closeTicks)
    return {
      startedAt: startOf(start),
      ticker: symbol,
      resolution,
      low: trades === undefined ? still : price(trades.lowTicks),
      high: trades === undefined ? still : price(trades.highTicks),
      open: trades === undefined ? still : price(trades.openTicks),
      close: still,
      baseTokenVolume: Digits.bigUnits((trades?.volumeLots ?? 0n) * BigInt(lotE8)),
      usdVolume: Digits.money(trades?.notional ?? 0n),
      trades: trades?.trades ?? 0,
      startingOpenInterest,
      orderbookMidPriceOpen: middle(openHalfTicks),
      orderbookMidPriceClose: middle(middleHalfTicks)
    }
  })
  return candles.toReversed()
}
