/** `GET /md/contracts` and `GET /md/orderbook/{symbol}`, in the form that those read who compare venues. */
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import * as Digits from "../Digits.ts"
import { levelText, type PriceLevel, toldRateE8 } from "../marketData/FrameText.ts"
import { LevelText } from "../marketData/FrameSchema.ts"
import { Optional } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
import type { MarketNow } from "./SymbolMetrics.ts"

/** All of it is decimal text. */
export const Contract = Schema.Struct({
  $schema: SchemaLink,
  /** Its symbol. */
  ticker_id: Schema.String,
  /** Of the last trade on the book, and the mark before the first. */
  last_price: Schema.String,
  index_price: Schema.String,
  /** USD of 24 hours. */
  target_volume: Schema.String,
  /** At the mark, rounded down to 1e-6 USD; one side counts. */
  open_interest_usd: Schema.String,
  /** A fraction of the value for an hour, as the stream tells it. */
  funding_rate: Schema.String
}).annotate({ identifier: "Contract" })
export type Contract = typeof Contract.Type

export const ContractsResponseBody = Schema.Struct({ $schema: SchemaLink, data: Rows(Contract) }).annotate({
  identifier: "ContractsResponseBody"
})

export const OrderBookResponseBody = Schema.Struct({
  $schema: SchemaLink,
  ticker_id: Schema.String,
  /** Unix milliseconds. */
  timestamp: Schema.Int,
  /** The best come first on both sides. */
  bids: Rows(LevelText),
  asks: Rows(LevelText)
}).annotate({ identifier: "OrderBookResponseBody" })
export type OrderBook = typeof OrderBookResponseBody.Type

const cached = { "cache-control": Schema.String }

export const AggregatorGroup = HttpApiGroup.make("aggregator")
  .add(
    HttpApiEndpoint.get("contracts", "/md/contracts", {
      query: { symbol: Optional(Schema.String) },
      success: HttpApiSchema.WithHeaders(ContractsResponseBody, cached),
      error: [BadRequest, ServiceUnavailable]
    })
  )
  .add(
    HttpApiEndpoint.get("orderBook", "/md/orderbook/:symbol", {
      params: { symbol: Schema.String },
      success: HttpApiSchema.WithHeaders(OrderBookResponseBody, cached),
      error: NotFound
    })
  )

/** Levels a side, at most. */
const bookLevels = 100

export const contract = (market: MarketNow): Contract => {
  const { instrument, lastTicks, markE8, openInterestLots } = market
  return {
    ticker_id: instrument.symbol,
    last_price: Digits.units(lastTicks === 0 ? markE8 : lastTicks * instrument.tickE8),
    index_price: Digits.units(market.oracleE8),
    target_volume: Digits.money(market.notional),
    open_interest_usd: Digits.money(valueDown(instrument, openInterestLots, markE8)),
    funding_rate: Digits.units(toldRateE8(market.rateE12))
  }
}

/** The best of each side come first, and no more of them are taken than are told. */
export const orderBook = (
  instrument: Instrument,
  bids: Iterable<PriceLevel>,
  asks: Iterable<PriceLevel>,
  atMillis: number
): OrderBook => {
  const side = (levels: Iterable<PriceLevel>) =>
    Array.from(Iterator.from(levels).take(bookLevels), (level) => levelText(instrument, level))
  return { ticker_id: instrument.symbol, timestamp: atMillis, bids: side(bids), asks: side(asks) }
}
