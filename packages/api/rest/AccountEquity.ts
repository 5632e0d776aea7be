/** `GET /user/account-equity`: what an account was worth as each window began. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Moment, Rows, SchemaLink } from "../Body.ts"
import { described, Optional } from "../Parameter.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { defaultDuration, Duration } from "./Duration.ts"
import { SeriesPoint } from "./Series.ts"

export const AccountEquityResponseBody = Schema.Struct({
  $schema: SchemaLink,
  duration: Schema.String,
  interval_minutes: Schema.Int,
  start: Schema.optionalKey(Moment),
  end: Moment,
  data: Rows(SeriesPoint),
  count: Schema.Int
}).annotate({ identifier: "AccountEquityResponseBody" })

export const AccountEquityGroup = HttpApiGroup.make("accountEquity")
  .add(
    HttpApiEndpoint.get("accountEquity", "/user/account-equity", {
      query: { duration: Optional(Duration) },
      success: AccountEquityResponseBody,
      error: ServiceUnavailable
    }).annotate(
      OpenApi.Transform,
      described({ duration: { type: "string", enum: Duration.literals, default: defaultDuration } })
    )
  )
  .middleware(Authenticated)
