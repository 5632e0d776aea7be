/** Handles `GET /taker-volume/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { minutes } from "@venue/api/rest/ChartRange"
import { takerVolumePoint } from "@venue/api/rest/TakerVolume"
import * as Candles from "@venue/storage/history/Candles"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "takerVolume",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "takerVolume",
      Effect.fnUntraced(function* ({
        params: { symbol },
        query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
      }) {
        const range = { symbol, length: intervalMinutes, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, minutes, [Candles.projection])
        return yield* answer({ schema: "TakerVolumeHistoricResponseBody", member: "data", windows }, (part) =>
          Effect.map(read(Candles.ofWindows(part)), (candles) => {
            const traded = new Map(candles.map((candle) => [candle.startMinute, candle]))
            return Windows.starts(part).map((start) =>
              takerVolumePoint(instrument, intervalMinutes, start, traded.get(start))
            )
          })
        )
      })
    )
  })
)
