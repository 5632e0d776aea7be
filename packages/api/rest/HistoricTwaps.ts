/** `GET /user/historic-twaps`: an account's ended TWAPs, newest first. `GET /historic-twaps-csv`: all as a file. */
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Side } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { averagePrice } from "../AveragePrice.ts"
import { Moment, Rows, SchemaLink, SymbolName } from "../Body.ts"
import * as Csv from "../Csv.ts"
import * as Digits from "../Digits.ts"
import { described } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { csvAnswer } from "./CsvFile.ts"
import {
  defaultLimit,
  limitQuery,
  type ListFilter,
  ListCount,
  listParameters,
  offsetQuery,
  symbolFrom,
  symbolQuery
} from "./ListPage.ts"
import { operation } from "../Operation.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** TWAP that is no longer running. */
export const HistoricTwap = Schema.Struct({
  $schema: SchemaLink,
  twap_id: Schema.String.annotate({ description: "Id of the TWAP." }),
  client_twap_id: Schema.String.annotate({ description: "Client id of the TWAP; empty if not set." }),
  status: Schema.String.annotate({ description: "Final status of the TWAP." }),
  symbol: SymbolName,
  side: Schema.String.annotate({ description: "Side of the TWAP: `BUY` or `SELL`." }),
  total_quantity: Schema.Finite.annotate({ description: "Total quantity of the TWAP, in base units." }),
  filled_quantity: Schema.Finite.annotate({ description: "Quantity filled, in base units." }),
  average_fill_price: Schema.Finite.annotate({
    description: "Average price of the fills, in USD per base unit; 0 if nothing was filled."
  }),
  worst_price: Schema.Finite.annotate({
    description: "Worst price at which an order of the TWAP can fill, in USD per base unit; 0 for no limit."
  }),
  total_num_orders: Count.annotate({ description: "Total number of slices." }),
  filled_num_orders: Count.annotate({ description: "Number of slices with at least one fill." }),
  order_interval_secs: Count.annotate({ description: "Time between slices, in seconds." }),
  reduce_only: Schema.Boolean.annotate({ description: "Whether the TWAP can only reduce a position." }),
  start_time: Moment.annotate({ description: "Time of the first slice, ISO 8601 in UTC." }),
  created_at: Schema.NullOr(Moment).annotate({ description: "Time of creation, ISO 8601 in UTC." }),
  updated_at: Schema.NullOr(Moment).annotate({ description: "Time at which the TWAP ended, ISO 8601 in UTC." })
}).annotate({ identifier: "HistoricTwap", description: "TWAP that has ended." })
export type HistoricTwap = typeof HistoricTwap.Type

/** Response body of `GET /user/historic-twaps`. */
export const HistoricTwapsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(HistoricTwap).annotate({ description: "Ended TWAPs, newest first." }),
  count: ListCount
}).annotate({ identifier: "HistoricTwapsResponseBody" })

const HistoricTwapsQuery = { ...symbolQuery, ...limitQuery, ...offsetQuery }

export const HistoricTwapsGroup = HttpApiGroup.make("historicTwaps")
  .add(
    HttpApiEndpoint.get("historicTwaps", "/user/historic-twaps", {
      query: HistoricTwapsQuery,
      success: HistoricTwapsResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List ended TWAPs",
          "Returns the TWAPs of an account that have ended, newest first. Refused with 422 for an invalid value, " +
            "and with 400 for an unknown symbol or an offset that is too large."
        )
      )
      .annotate(OpenApi.Transform, described(listParameters)),
    HttpApiEndpoint.get("historicTwapsCsv", "/historic-twaps-csv", { query: symbolQuery, ...csvAnswer })
      .annotate(OpenApi.Transform, described(listParameters))
      .annotateMerge(
        operation(
          "Download ended TWAPs",
          "Returns all ended TWAPs of an account, or only the TWAPs of one symbol, as one CSV file with a header line. " +
            "Refused with 400 for an unknown symbol, with 429 while two other downloads of the user are running, " +
            "and with 503 while the gateway runs its maximum of 8."
        )
      )
  )
  .middleware(Authenticated)

/** Returns a query's filter with defaults applied. */
export const historicTwapsFilter = (query: Schema.Struct<typeof HistoricTwapsQuery>["Type"]): ListFilter => ({
  symbol: symbolFrom(query.symbol),
  limit: query.limit ?? defaultLimit,
  offset: query.offset ?? 0
})

/** Ended TWAP: prices in ticks, quantities in lots, money in 1e-6 USD. */
export interface UserTwap {
  readonly twapId: string
  /** "" if the client sent no id. */
  readonly clientTwapId: string
  readonly status: string
  readonly symbol: MarketSymbol
  readonly side: Side
  readonly totalQuantity: number
  readonly filledQuantity: number
  /** Notional of all fills. */
  readonly filledValue: number
  /** 0 for no limit. */
  readonly worstPrice: number
  readonly slices: number
  readonly filledSlices: number
  readonly intervalMillis: number
  readonly reduceOnly: boolean
  readonly startAtMillis: number
  readonly createdAtMillis: number
  readonly endedAtMillis: number
}

/** Converts an ended TWAP to its wire format. */
export const historicTwap = (instrument: Instrument, twap: UserTwap): HistoricTwap => ({
  twap_id: twap.twapId,
  client_twap_id: twap.clientTwapId,
  status: twap.status,
  symbol: twap.symbol,
  side: twap.side,
  total_quantity: quantityOf(instrument, twap.totalQuantity),
  filled_quantity: quantityOf(instrument, twap.filledQuantity),
  average_fill_price: Number(averageOf(instrument, twap)),
  worst_price: priceOf(instrument, twap.worstPrice),
  total_num_orders: twap.slices,
  filled_num_orders: twap.filledSlices,
  order_interval_secs: twap.intervalMillis / 1_000,
  reduce_only: twap.reduceOnly,
  start_time: Digits.instant(twap.startAtMillis),
  created_at: Digits.instant(twap.createdAtMillis),
  updated_at: Digits.instant(twap.endedAtMillis)
})

/** CSV file of ended TWAPs. */
export const historicTwapsFile: Csv.File<UserTwap> = {
  name: "historic-twaps.csv",
  columns: Object.keys(HistoricTwap.fields).filter((name) => name !== "$schema"),
  cells: (instrument, twap) => [
    Csv.text(twap.twapId),
    Csv.text(twap.clientTwapId),
    twap.status,
    Csv.text(twap.symbol),
    twap.side,
    Digits.units(twap.totalQuantity * instrument.lotE8),
    Digits.units(twap.filledQuantity * instrument.lotE8),
    averageOf(instrument, twap),
    Digits.units(twap.worstPrice * instrument.tickE8),
    String(twap.slices),
    String(twap.filledSlices),
    Digits.plain(twap.intervalMillis / 1_000),
    String(twap.reduceOnly),
    Csv.moment(twap.startAtMillis),
    Csv.moment(twap.createdAtMillis),
    Csv.moment(twap.endedAtMillis)
  ]
}

const averageOf = (instrument: Instrument, { filledQuantity, filledValue }: UserTwap): string =>
  averagePrice(instrument, { basis: filledValue, quantityLots: filledQuantity })
