/** Handles `GET /funding/{symbol}`. */
import { Api } from "@venue/api/rest/Api"
import { minutes } from "@venue/api/rest/ChartRange"
import { fundingPoint } from "@venue/api/rest/FundingRates"
import * as FundingTable from "@venue/storage/history/FundingRates"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"
import * as ChartAnswer from "./ChartAnswer.ts"
import { Charts } from "./Charts.ts"

export const layer = group(
  Api,
  "fundingRates",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* ChartAnswer.make
    const { open, read } = yield* Charts
    return handlers.handle(
      "fundingRates",
      Effect.fnUntraced(function* ({
        params: { symbol },
        query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
      }) {
        const range = { symbol, length: intervalMinutes, fromMillis, toMillis }
        const { instrument, windows } = yield* open(range, minutes, [FundingTable.projection])
        return yield* answer({ schema: "FundingHistoricResponseBody", member: "data", windows }, (part) =>
          Effect.map(read(FundingTable.lastOf(part)), (known) =>
            Windows.filled(part, known).map(([start, row]) =>
              fundingPoint(instrument.symbol, intervalMinutes, start, row?.rateE12)
            )
          )
        )
      })
    )
  })
)
