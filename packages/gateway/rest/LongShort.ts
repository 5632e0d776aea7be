/** Answers `GET /symbol-long-short/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching, intervals } from "@venue/api/rest/ChartRange"
import { longShortPoint } from "@venue/api/rest/LongShort"
import * as Holders from "@venue/storage/history/Holders"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "longShort",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "longShort",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, interval, toISO: toMillis }
        }) {
          const asked = { symbol, length: interval, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, intervals, [Holders.projection])
          const known = yield* read(Holders.atStarts(windows))
          const data = Windows.filled(windows, known).map(([start, row]) =>
            longShortPoint(instrument.symbol, interval, start, row)
          )
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "SymbolLongShortHistoricResponseBody"), data, count: data.length },
            headers: chartCaching
          })
        })
      )
    })
  )
