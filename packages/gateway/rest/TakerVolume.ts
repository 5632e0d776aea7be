/** Answers `GET /taker-volume/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching, minutes } from "@venue/api/rest/ChartRange"
import { takerVolumePoint } from "@venue/api/rest/TakerVolume"
import * as Candles from "@venue/storage/history/Candles"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "takerVolume",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "takerVolume",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
        }) {
          const asked = { symbol, length: intervalMinutes, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, minutes, [Candles.projection])
          const candles = yield* read(Candles.ofWindows(windows))
          const traded = new Map(candles.map((candle) => [candle.startMinute, candle]))
          const data = Windows.starts(windows).map((start) =>
            takerVolumePoint(instrument, intervalMinutes, start, traded.get(start))
          )
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "TakerVolumeHistoricResponseBody"), data, count: data.length },
            headers: chartCaching
          })
        })
      )
    })
  )
