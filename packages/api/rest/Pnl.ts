/** `GET /user/historic-pnl`: what an account has made since a span of time began, window by window. */
import { decimalOfMoney, moneyScale } from "@venue/domain/Decimal"
import { percentE6 } from "@venue/domain/Profit"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { defaultDuration, Duration } from "./Duration.ts"
import { SeriesPoint } from "./Series.ts"

const Unit = Schema.Literals(["number", "percent"])
export const defaultUnit = "number"

export const HistoricUserPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String,
  unit: Schema.String,
  interval_minutes: Schema.Int,
  start: Schema.optionalKey(Moment),
  end: Moment,
  /** Where a filter was given, what it names. */
  symbols: Schema.optionalKey(Rows(Schema.String)),
  data: Rows(SeriesPoint),
  count: Schema.Int
}).annotate({ identifier: "HistoricUserPnlResponseBody" })

export const PnlGroup = HttpApiGroup.make("pnl")
  .add(
    HttpApiEndpoint.get("historicPnl", "/user/historic-pnl", {
      query: { duration: Optional(Duration), unit: Optional(Unit), symbol: Optional(Schema.String) },
      success: HistoricUserPnlResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(
      OpenApi.Transform,
      described({
        duration: { type: "string", enum: Duration.literals, default: defaultDuration },
        unit: { type: "string", enum: Unit.literals, default: defaultUnit }
      })
    )
  )
  .middleware(Authenticated)

/** Money in 1e-6 USD, as a number of dollars or as percent of a base of money. */
export const inUnit = (profit: bigint, base: bigint | undefined): number =>
  base === undefined ? decimalOfMoney(profit) : Number(percentE6(profit, base)) / moneyScale
