/** `GET /md/contracts` and `GET /md/orderbook/{symbol}`, in the form that those read who compare venues. */
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import { minuteMillis } from "@venue/domain/Minute"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import * as Digits from "../Digits.ts"
import * as Member from "../Member.ts"
import { levelText, type PriceLevel, toldRateE8 } from "../marketData/FrameText.ts"
import { LevelText } from "../marketData/FrameSchema.ts"
import { Optional } from "../Parameter.ts"
import { BadRequest, NotFound, ServiceUnavailable } from "../Problem.ts"
import type { MarketNow } from "./SymbolMetrics.ts"

/** Decimals are text. Funding of the running hour is told as both the current and the next rate: it is paid at the end. */
export const Contract = Schema.Struct({
  $schema: SchemaLink,
  ticker_id: Member.symbol,
  base_currency: Member.text('Base of the contract, such as "AAPL"'),
  target_currency: Member.text('Currency of prices and volumes, "USD"'),
  last_price: Member.priceText("Price of the last trade on the book, or the mark price before the first"),
  base_volume: Member.quantityText("Quantity traded in 24 hours"),
  target_volume: Member.usdText("Value traded in 24 hours"),
  product_type: Member.text('Kind of the contract, "Perpetual"'),
  open_interest: Member.quantityText("Long and short open interest together"),
  open_interest_usd: Member.usdText("Open interest of one side at the mark price, rounded down to 1e-6"),
  long_open_interest: Member.quantityText("Quantity held long"),
  long_open_interest_usd: Member.usdText("Quantity held long at the mark price, rounded down to 1e-6"),
  short_open_interest: Member.quantityText("Quantity held short"),
  short_open_interest_usd: Member.usdText("Quantity held short at the mark price, rounded down to 1e-6"),
  index_price: Member.priceText("Price of the underlier"),
  index_currency: Member.text('Currency of the index price, "USD"'),
  funding_rate: Member.fractionText("Funding rate of the running hour if it ended now, of the position value"),
  funding_interval_minutes: Member.count("Minutes from one funding payment to the next, 60"),
  next_funding_rate: Member.fractionText("Rate that the next funding payment would have if it were due now"),
  next_funding_rate_timestamp: Member.count("End of the running funding hour, in Unix seconds")
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

/** At `nowMillis`, Unix milliseconds. Each contract is held long as much as short, so both sides have one open interest. */
export const contract = (market: MarketNow, nowMillis: number): Contract => {
  const { instrument, lastTicks, markE8, openInterestLots, volumeLots } = market
  const side = Digits.units(openInterestLots * instrument.lotE8)
  const sideUsd = Digits.money(valueDown(instrument, openInterestLots, markE8))
  const rate = Digits.units(toldRateE8(market.rateE12))
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
