/** `GET /user/historic-pnl`: an account's profit or loss since the start of a span, by window. */
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
/** Default unit of a request. */
export const defaultUnit = "number"

/** Response body of `GET /user/historic-pnl`. */
export const HistoricUserPnlResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String.annotate({ description: "Requested span of time: `1d`, `1w`, `1m`, `ytd` or `all`." }),
  unit: Schema.String.annotate({ description: "Unit of the values: `number` for USD, or `percent`." }),
  ...spanMembers,
  symbols: Schema.optionalKey(
    Rows(Schema.String).annotate({
      description: "Symbols in the filter of the request; omitted if the request has no filter."
    })
  ),
  data: Rows(SeriesPoint).annotate({
    description: "Profit or loss from the start of the span to each window, oldest window first."
  }),
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
          "Returns the cumulative profit or loss of an account since the start of a span, by window, in USD or in percent " +
            "of the equity. Refused with 400 for an unknown symbol, and with 422 for an unknown duration or unit."
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

/** Converts a profit in 1e-6 USD to USD, or to percent of `base` if `base` is given. */
export const inUnit = (profit: bigint, base: bigint | undefined): number =>
  base === undefined ? decimalOfMoney(profit) : Number(percentE6(profit, base)) / moneyScale
