/** `GET /user/historic-pnl`: what an account has made since a span of time began, window by window. */
import { decimalOfMoney, moneyScale } from "@venue/domain/Decimal"
import { percentE6 } from "@venue/domain/Profit"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { symbolsParameter } from "./SymbolFilter.ts"
import { defaultDuration, Duration } from "./Duration.ts"
import { SeriesPoint, spanMembers } from "./Series.ts"
import { operation } from "../Operation.ts"

const Unit = Schema.Literals(["number", "percent"])
export const defaultUnit = "number"

export const HistoricUserPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String.annotate({ description: "Span of time that was asked for." }),
  unit: Schema.String.annotate({ description: "Unit of the values: `number` for USD, or `percent`." }),
  ...spanMembers,
  symbols: Schema.optionalKey(
    Rows(Schema.String).annotate({ description: "Symbols of the filter; left out without one." })
  ),
  data: Rows(SeriesPoint).annotate({ description: "Profit or loss since the start of the span, oldest window first." }),
  count: RowCount
}).annotate({ identifier: "HistoricUserPnlResponseBody" })

export const PnlGroup = HttpApiGroup.make("pnl")
  .add(
    HttpApiEndpoint.get("historicPnl", "/user/historic-pnl", {
      query: { duration: Optional(Duration), unit: Optional(Unit), symbol: Optional(Schema.String) },
      success: HistoricUserPnlResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Get profit and loss over time",
          "Returns the profit or loss of an account since the start of a span, by window, in USD or in percent " +
            "of the equity. Refused with 400 for an unknown symbol, and with 422 for a value that is not " +
            "offered."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          duration: {
            type: "string",
            enum: Duration.literals,
            default: defaultDuration,
            description: "Span of time that ends now."
          },
          unit: {
            type: "string",
            enum: Unit.literals,
            default: defaultUnit,
            description: "Unit of the values: USD, or percent of the equity."
          },
          symbol: symbolsParameter
        })
      )
  )
  .middleware(Authenticated)

/** Money in 1e-6 USD, as a number of dollars or as percent of a base of money. */
export const inUnit = (profit: bigint, base: bigint | undefined): number =>
  base === undefined ? decimalOfMoney(profit) : Number(percentE6(profit, base)) / moneyScale
