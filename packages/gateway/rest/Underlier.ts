/** Handles `GET /underlier/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { intervals } from "@venue/api/rest/ChartRange"
import { underlierPoints } from "@venue/api/rest/Underlier"
import * as Prices from "@venue/storage/history/Prices"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "underlier",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "underlier",
      Effect.fnUntraced(function* ({ params: { symbol }, query: { fromISO: fromMillis, interval, toISO: toMillis } }) {
        const range = { symbol, length: interval, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, intervals, [Prices.projection])
        return yield* answer(
          { schema: "UnderlierHistoricResponseBody", member: "data", windows },
          Effect.fnUntraced(function* (part) {
            const before = yield* read(Prices.lastBefore(part.symbol, part.fromMinute))
            const priced = yield* read(Prices.ofWindows(part))
            return underlierPoints(instrument.symbol, interval, Windows.starts(part), priced, before?.oracleE8 ?? 0)
          })
        )
      })
    )
  })
)
