/** Handles `GET /candles/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { candlesOf } from "@venue/api/rest/Candles"
import { resolutions } from "@venue/api/rest/ChartRange"
import * as CandleTable from "@venue/storage/history/Candles"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "candles",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "candles",
      Effect.fnUntraced(function* ({
        params: { symbol },
        query: { fromISO: fromMillis, resolution, toISO: toMillis }
      }) {
        const range = { symbol, length: resolution, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, resolutions, [CandleTable.projection])
        return yield* answer(
          { schema: "CandlesResponseBody", member: "candles", windows, isNewestFirst: true },
          Effect.fnUntraced(function* (part) {
            const tradedBefore = yield* read(CandleTable.lastBefore(part.symbol, part.fromMinute))
            const pricedBefore = yield* read(Prices.lastBefore(part.symbol, part.fromMinute))
            return candlesOf(instrument, {
              resolution,
              starts: Windows.starts(part),
              traded: yield* read(CandleTable.ofWindows(part)),
              priced: yield* read(Prices.ofWindows(part)),
              before: {
                closeTicks: tradedBefore?.closeTicks ?? 0,
                markE8: pricedBefore?.markE8 ?? 0,
                middleHalfTicks: pricedBefore?.middleHalfTicks ?? 0,
                openInterestLots: pricedBefore?.openInterestLots ?? 0
              }
            })
          })
        )
      })
    )
  })
)
