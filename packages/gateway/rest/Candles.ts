/** Answers `GET /candles/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { candlesOf } from "@venue/api/rest/Candles"
import { chartCaching, resolutions } from "@venue/api/rest/ChartRange"
import * as CandleTable from "@venue/storage/history/Candles"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "candles",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "candles",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, resolution, toISO: toMillis }
        }) {
          const asked = { symbol, length: resolution, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, resolutions, [CandleTable.projection])
          const tradedBefore = yield* read(CandleTable.lastBefore(windows.symbol, windows.fromMinute))
          const pricedBefore = yield* read(Prices.lastBefore(windows.symbol, windows.fromMinute))
          const candles = candlesOf(instrument, {
            resolution,
            starts: Windows.starts(windows),
            traded: yield* read(CandleTable.ofWindows(windows)),
            priced: yield* read(Prices.ofWindows(windows)),
            before: {
              closeTicks: tradedBefore?.closeTicks ?? 0,
              markE8: pricedBefore?.markE8 ?? 0,
              middleHalfTicks: pricedBefore?.middleHalfTicks ?? 0,
              openInterestLots: pricedBefore?.openInterestLots ?? 0
            }
          })
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "CandlesResponseBody"), candles },
            headers: chartCaching
          })
        })
      )
    })
  )
