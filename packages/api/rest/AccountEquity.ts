/** `GET /user/account-equity`: an account's equity at the start of each window. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RowCount, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { defaultDuration, Duration } from "./Duration.ts"
import { SeriesPoint, spanMembers } from "./Series.ts"
import { operation } from "../Operation.ts"

/** Response body of `GET /user/account-equity`. */
export const AccountEquityResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String.annotate({ description: "Requested span of time: `1d`, `1w`, `1m`, `ytd` or `all`." }),
  ...spanMembers,
  data: Rows(SeriesPoint).annotate({ description: "Equity in USD at the start of each window, oldest first." }),
  count: RowCount
}).annotate({ identifier: "AccountEquityResponseBody" })

export const AccountEquityGroup = HttpApiGroup.make("accountEquity")
  .add(
    HttpApiEndpoint.get("accountEquity", "/user/account-equity", {
      query: { duration: Optional(Duration) },
      success: AccountEquityResponseBody,
      error: ServiceUnavailable
    })
      .annotateMerge(
        operation(
          "Get equity over time",
          "Returns the equity of an account at the start of each window in a span of time. Refused with 422 for an " +
            "unsupported duration."
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
          }
        })
      )
  )
  .middleware(Authenticated)
