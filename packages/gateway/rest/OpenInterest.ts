/** Answers `GET /open-interest/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching, minutes } from "@venue/api/rest/ChartRange"
import { openInterestPoint } from "@venue/api/rest/OpenInterest"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "openInterest",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "openInterest",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
        }) {
          const asked = { symbol, length: intervalMinutes, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, minutes, [Prices.projection])
          const known = yield* read(Prices.openInterestAt(windows))
          const data = Windows.filled(windows, known).map(([start, row]) =>
            openInterestPoint(instrument, intervalMinutes, start, row?.openInterestLots)
          )
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "OpenInterestHistoricResponseBody"), data, count: data.length },
            headers: chartCaching
          })
        })
      )
    })
  )
