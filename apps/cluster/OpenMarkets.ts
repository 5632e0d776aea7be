/** Waits at a cluster's start until all markets are open. A market opens with its first price. */
import { Effect, type Redacted, Schedule, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"

const PriceList = Schema.Struct({ count: Schema.Int })
const readPrices = HttpClientResponse.schemaBodyJson(PriceList)

/** Polls the operator interface until all markets have a price, for at most 10 s. */
export const priced = Effect.fn("OpenMarkets.priced")(function* (
  adminUrl: string,
  token: Redacted.Redacted,
  markets: number
) {
  const http = yield* HttpClient.HttpClient
  const count = http
    .execute(HttpClientRequest.get(`${adminUrl}/prices`).pipe(HttpClientRequest.bearerToken(token)))
    .pipe(
      Effect.flatMap(readPrices),
      Effect.map((prices) => prices.count),
      Effect.orElseSucceed(() => 0)
    )
  yield* Effect.repeat(count, { until: (priced) => priced >= markets, schedule: Schedule.spaced("100 millis") }).pipe(
    Effect.timeoutOption("10 seconds")
  )
})
