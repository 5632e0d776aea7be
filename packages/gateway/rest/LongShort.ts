/** Handles `GET /symbol-long-short/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { intervals } from "@venue/api/rest/ChartRange"
import { longShortPoint } from "@venue/api/rest/LongShort"
import * as Holders from "@venue/storage/history/Holders"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "longShort",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "longShort",
      Effect.fnUntraced(function* ({ params: { symbol }, query: { fromISO: fromMillis, interval, toISO: toMillis } }) {
        const range = { symbol, length: interval, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, intervals, [Holders.projection])
        return yield* answer({ schema: "SymbolLongShortHistoricResponseBody", member: "data", windows }, (part) =>
          Effect.map(read(Holders.atStarts(part)), (known) =>
            Windows.filled(part, known).map(([start, row]) => longShortPoint(instrument.symbol, interval, start, row))
          )
        )
      })
    )
  })
)
