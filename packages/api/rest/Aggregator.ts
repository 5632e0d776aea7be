/** `GET /md/contracts` and `GET /md/orderbook/{symbol}`, in the format of market-data aggregators. */
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CacheControl, Rows, SchemaLink, SymbolName } from "../Body.ts"
import * as Digits from "../Digits.ts"
import * as Member from "../Member.ts"
import { levelText, type PriceLevel, publishedRateE8 } from "../marketData/FrameText.ts"
import { LevelText } from "../marketData/FrameSchema.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
import type { MarketNow } from "./SymbolMetrics.ts"
import { operation } from "../Operation.ts"

/**
 * Statistics of one contract. The current hour's funding rate is given as both the current and the next rate, because
 * funding is due at the end of the hour.
 */
export const Contract = Schema.Struct({
  $schema: SchemaLink,
  ticker_id: Member.symbol.annotate({ description: "Market symbol." }),
  base_currency: Member.text('Base asset of the contract, such as "AAPL"'),
  target_currency: Member.text('Currency of prices and notionals, such as "USD"'),
  last_price: Member.priceText(
    "Price of the last trade on the book, or the mark price before the first trade"
  ).annotate({
    description: "Price of the last trade on the book, in USD, decimal text; the mark price before the first trade."
  }),
  base_volume: Member.quantityText("Quantity traded in the last 24 hours"),
  target_volume: Member.usdText("Notional traded in the last 24 hours").annotate({
    description: "Notional traded in the last 24 hours, in USD, decimal text."
  }),
  product_type: Member.text('Type of the contract, always "Perpetual"'),
  open_interest: Member.quantityText("Sum of long and short open interest"),
  open_interest_usd: Member.usdText(
    "Open interest of one side at the mark price",
    ", rounded down to six decimal places"
  ).annotate({
    description: "Open interest of one side at the mark price, in USD, decimal text, rounded down."
  }),
  long_open_interest: Member.quantityText("Total quantity of all long positions"),
  long_open_interest_usd: Member.usdText(
    "Value of all long positions at the mark price",
    ", rounded down to six decimal places"
  ),
  short_open_interest: Member.quantityText("Total quantity of all short positions"),
  short_open_interest_usd: Member.usdText(
    "Value of all short positions at the mark price",
    ", rounded down to six decimal places"
  ),
  index_price: Member.priceText("Price of the underlier").annotate({
    description: "Oracle price of the underlier, in USD, decimal text."
  }),
  index_currency: Member.text('Currency of the index price, such as "USD"'),
  funding_rate: Member.fractionText("Estimated funding rate of the current hour", " of the notional").annotate({
    description: "Estimated funding rate of the current hour, as a fraction of the notional, decimal text."
  }),
  funding_interval_minutes: Member.count("Time between funding payments, in minutes; always 60"),
  next_funding_rate: Member.fractionText("Estimated rate of the next funding payment", " of the notional"),
  next_funding_rate_timestamp: Member.count(
    "Time of the next funding payment, at the end of the current hour, in Unix seconds"
  )
}).annotate({ identifier: "Contract", description: "Statistics of one contract." })
export type Contract = typeof Contract.Type

/** Response body of `GET /md/contracts`. */
export const ContractsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(Contract).annotate({ description: "Statistics of each contract that has a price." })
}).annotate({
  identifier: "ContractsResponseBody"
})

/** Response body of `GET /md/orderbook/{symbol}`. */
export const OrderBookResponseBody = Schema.Struct({
  $schema: SchemaLink,
  ticker_id: Schema.String.annotate({ description: "Market symbol." }),
  timestamp: Schema.Int.annotate({ description: "Time of the response, in Unix milliseconds." }),
  bids: Rows(LevelText).annotate({
    description: "Bids, best first: at most 100 levels, each with its price in USD and its quantity in base units."
  }),
  asks: Rows(LevelText).annotate({
    description: "Asks, best first: at most 100 levels, each with its price in USD and its quantity in base units."
  })
}).annotate({ identifier: "OrderBookResponseBody" })
/** Response body of `GET /md/orderbook/{symbol}`. */
export type OrderBook = typeof OrderBookResponseBody.Type

const cached = { "cache-control": CacheControl }

export const AggregatorGroup = HttpApiGroup.make("aggregator")
  .add(
    HttpApiEndpoint.get("contracts", "/md/contracts", {
      query: { symbol: Optional(Schema.String) },
      success: HttpApiSchema.WithHeaders(ContractsResponseBody, cached),
      error: [BadRequest, ServiceUnavailable]
    })
      .annotate(
        OpenApi.Transform,
        described({
          symbol: {
            type: "string",
            description: "Symbol of one market, in any letter case. Default: all markets.",
            examples: ["GOLD-USD"]
          }
        })
      )
      .annotateMerge(
        operation(
          "List contracts",
          "Returns statistics of every contract with a price, or of one symbol, in the format of market-data " +
            "aggregators. Refused with 400 for an unknown symbol and for more than one symbol. No credentials are needed."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("orderBook", "/md/orderbook/:symbol", {
      params: { symbol: SymbolName },
      success: HttpApiSchema.WithHeaders(OrderBookResponseBody, cached),
      error: NotFound
    }).annotateMerge(
      operation(
        "Get the order book",
        "Returns the best 100 price levels of each side of the book. Refused with 404 for an unknown symbol. No credentials are needed."
      )
    )
  )

const bookLevels = 100

/** Returns the statistics of a market at `nowMillis`; long and short open interest are always equal. */
export const contract = (market: MarketNow, nowMillis: number): Contract => {
  const { instrument, lastTicks, markE8, openInterestLots, volumeLots } = market
  const side = Digits.units(openInterestLots * instrument.lotE8)
  const sideUsd = Digits.money(valueDown(instrument, openInterestLots, markE8))
  const rate = Digits.units(publishedRateE8(market.rateE12))
  return {
    ticker_id: instrument.symbol,
    base_currency: instrument.base,
    target_currency: instrument.quote,
    last_price: Digits.units(lastTicks === 0 ? markE8 : lastTicks * instrument.tickE8),
    base_volume: Digits.bigUnits(volumeLots * BigInt(instrument.lotE8)),
    target_volume: Digits.money(market.notional),
    product_type: "Perpetual",
    open_interest: Digits.units(2 * openInterestLots * instrument.lotE8),
    open_interest_usd: sideUsd,
    long_open_interest: side,
    long_open_interest_usd: sideUsd,
    short_open_interest: side,
    short_open_interest_usd: sideUsd,
    index_price: Digits.units(market.oracleE8),
    index_currency: instrument.quote,
    funding_rate: rate,
    funding_interval_minutes: fundingMinutes,
    next_funding_rate: rate,
    next_funding_rate_timestamp: (Math.floor(nowMillis / fundingMillis) + 1) * (fundingMillis / 1_000)
  }
}

const fundingMinutes = 60
const fundingMillis = fundingMinutes * minuteMillis

/** Returns a book of at most 100 levels per side; reads levels, best price first, only until it has enough. */
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
