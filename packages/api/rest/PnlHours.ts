/**
 * `GET /pnl`: an account's position and profit in each market at the start of each hour. A response has at most
 * 10,000 rows, for the newest hours. To get earlier rows, a client sets `end` to the first returned hour; `symbol`
 * reduces the number of rows.
 */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment as MomentText, RowCount, Rows, SchemaLink, SymbolName } from "../Body.ts"
import { described, Moment, Optional, WholeNumber } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { symbolsParameter } from "./SymbolFilter.ts"
import { startOf } from "./ChartRange.ts"
import { operation } from "../Operation.ts"

/** Position and profit in one market at the start of an hour. */
export const PnlHour = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  hour: MomentText.annotate({ description: "Start of the hour, ISO 8601 in UTC." }),
  realised_pnl: Schema.Finite.annotate({ description: "Profit or loss realised before the hour, in USD." }),
  unrealised_pnl: Schema.Finite.annotate({ description: "Unrealised profit or loss at the mark price, in USD." }),
  net_funding: Schema.Finite.annotate({ description: "Funding received minus funding paid before the hour, in USD." }),
  fees: Schema.Finite.annotate({ description: "Fees paid before the hour, in USD." }),
  quantity: Schema.Finite.annotate({ description: "Position, in base units; negative for a short position." }),
  cost: Schema.Finite.annotate({
    description: "Cost basis of the position: quantity multiplied by average entry price, in USD."
  })
}).annotate({ identifier: "PnlHour", description: "Position and profit in one market at the start of an hour." })
export type PnlHour = typeof PnlHour.Type

/** Response body of `GET /pnl`. */
export const HourlyPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(PnlHour).annotate({ description: "Rows, one for each hour and symbol." }),
  count: RowCount
}).annotate({ identifier: "HourlyPnlResponseBody" })

/** Default value of `limit_hours`. */
export const defaultLimitHours = 168
const limitHours = { minimum: 1, maximum: 2_160 }
const moment = { type: "string", format: "date-time", examples: ["2026-03-02T15:00:00Z"] }

export const PnlHoursGroup = HttpApiGroup.make("pnlHours")
  .add(
    HttpApiEndpoint.get("pnlHours", "/pnl", {
      query: {
        symbol: Optional(Schema.String),
        start: Optional(Moment),
        end: Optional(Moment),
        limit_hours: Optional(WholeNumber(limitHours))
      },
      success: HourlyPnlResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List hourly profit and loss",
          "Returns the position, profit and fees of an account in each market at the start of each hour. Refused with " +
            "400 for a range that ends before it starts, and with 422 for an invalid value."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          symbol: symbolsParameter,
          start: { ...moment, description: "Include hours that start at or after this time." },
          end: { ...moment, description: "Include hours that start before this time. Default: no bound." },
          limit_hours: {
            type: "integer",
            ...limitHours,
            default: defaultLimitHours,
            description: "Maximum number of hours to return."
          }
        })
      )
  )
  .middleware(Authenticated)

/** Position in one market at the start of an hour; money in 1e-6 USD. */
export interface HeldHour {
  readonly startMinute: number
  readonly quantityLots: number
  readonly cashFlow: number
  readonly basis: number
  readonly fees: number
  readonly funding: number
  /** Value of the position at the mark price. */
  readonly value: number
}

/** Converts one row to its wire format. */
export const pnlHour = (instrument: Instrument, held: HeldHour): PnlHour => ({
  symbol: instrument.symbol,
  hour: startOf(held.startMinute),
  realised_pnl: decimalOfMoney(held.cashFlow + held.basis),
  unrealised_pnl: decimalOfMoney(held.value - held.basis),
  net_funding: decimalOfMoney(held.funding),
  fees: decimalOfMoney(held.fees),
  quantity: quantityOf(instrument, held.quantityLots),
  cost: decimalOfMoney(held.basis)
})
