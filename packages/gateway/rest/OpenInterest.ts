/** Handles `GET /open-interest/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { minutes } from "@venue/api/rest/ChartRange"
import { openInterestPoint } from "@venue/api/rest/OpenInterest"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "openInterest",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "openInterest",
      Effect.fnUntraced(function* ({
        params: { symbol },
        query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
      }) {
        const range = { symbol, length: intervalMinutes, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, minutes, [Prices.projection])
        return yield* answer({ schema: "OpenInterestHistoricResponseBody", member: "data", windows }, (part) =>
          Effect.map(read(Prices.openInterestAt(part)), (known) =>
            Windows.filled(part, known).map(([start, row]) =>
              openInterestPoint(instrument, intervalMinutes, start, row?.openInterestLots)
            )
          )
        )
      })
    )
  })
)
