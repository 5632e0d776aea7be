/**
 * `GET /pnl`: what an account held of each symbol as each hour began, and what it had made by then. An answer has at most
 * 10,000 rows, of the newest hours: `end` at the first of them, or `symbol`, gives the rest.
 */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment as MomentText, Rows, SchemaLink } from "../Body.ts"
import { described, Moment, Optional, WholeNumber } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { startOf } from "./ChartRange.ts"

export const PnlHour = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  hour: MomentText,
  realised_pnl: Schema.Finite,
  unrealised_pnl: Schema.Finite,
  net_funding: Schema.Finite,
  fees: Schema.Finite,
  /** Signed; negative is short. */
  quantity: Schema.Finite,
  /** The quantity at its average price. */
  cost: Schema.Finite
}).annotate({ identifier: "PnlHour" })
export type PnlHour = typeof PnlHour.Type

export const HourlyPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(PnlHour),
  count: Schema.Int
}).annotate({ identifier: "HourlyPnlResponseBody" })

export const defaultLimitHours = 168
const limitHours = { minimum: 1, maximum: 2_160 }
const moment = { type: "string", format: "date-time" }

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
    }).annotate(
      OpenApi.Transform,
      described({
        start: moment,
        end: moment,
        limit_hours: { type: "integer", ...limitHours, default: defaultLimitHours }
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
