/**
 * `GET /pnl`: what an account held of each symbol as each hour began, and what it had made by then. An answer has at most
 * 10,000 rows, of the newest hours: `end` at the first of them, or `symbol`, gives the rest.
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

export const PnlHour = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  hour: MomentText.annotate({ description: "Start of the hour, ISO 8601 in UTC." }),
  realised_pnl: Schema.Finite.annotate({ description: "Profit or loss realised until then, in USD." }),
  unrealised_pnl: Schema.Finite.annotate({ description: "Unrealised profit or loss at the mark price, in USD." }),
  net_funding: Schema.Finite.annotate({ description: "Funding received less funding paid until then, in USD." }),
  fees: Schema.Finite.annotate({ description: "Fees paid until then, in USD." }),
  quantity: Schema.Finite.annotate({ description: "Signed position, in base units; negative is short." }),
  cost: Schema.Finite.annotate({ description: "Quantity at its average entry price, in USD." })
}).annotate({ identifier: "PnlHour", description: "Position and profit in one market at the start of an hour." })
export type PnlHour = typeof PnlHour.Type

export const HourlyPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(PnlHour).annotate({ description: "Hours, one row for each symbol." }),
  count: RowCount
}).annotate({ identifier: "HourlyPnlResponseBody" })

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
          "Returns position, profit and fees of an account by symbol at the start of each hour. Refused with " +
            "400 for an end before the start, and with 422 for a value that cannot be read."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          symbol: symbolsParameter,
          start: { ...moment, description: "Include hours that start at this time or after it." },
          end: { ...moment, description: "Include hours that start before this time. Default: no bound." },
          limit_hours: {
            type: "integer",
            ...limitHours,
            default: defaultLimitHours,
            description: "Largest number of hours to return."
          }
        })
      )
  )
  .middleware(Authenticated)

/** What was held of a symbol at the start of an hour, money in 1e-6 USD. */
export interface HeldHour {
  readonly startMinute: number
  readonly quantityLots: number
  readonly cashFlow: number
  readonly basis: number
  readonly fees: number
  readonly funding: number
  /** Of the position, at the mark. */
  readonly value: number
}

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
