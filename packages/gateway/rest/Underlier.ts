/** Answers `GET /underlier/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching, intervals } from "@venue/api/rest/ChartRange"
import { underlierPoints } from "@venue/api/rest/Underlier"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "underlier",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "underlier",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, interval, toISO: toMillis }
        }) {
          const asked = { symbol, length: interval, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, intervals, [Prices.projection])
          const before = yield* read(Prices.lastBefore(windows.symbol, windows.fromMinute))
          const told = yield* read(Prices.ofWindows(windows))
          const starts = Windows.starts(windows)
          const data = underlierPoints(instrument.symbol, interval, starts, told, before?.oracleE8 ?? 0)
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "UnderlierHistoricResponseBody"), data, count: data.length },
            headers: chartCaching
          })
        })
      )
    })
  )
