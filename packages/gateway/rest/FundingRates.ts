/** Answers `GET /funding/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching, minutes } from "@venue/api/rest/ChartRange"
import { fundingPoint } from "@venue/api/rest/FundingRates"
import * as FundingTable from "@venue/storage/history/FundingRates"
import * as Windows from "@venue/storage/history/Windows"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { group } from "../http/Endpoints.ts"
import { Charts } from "./Charts.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "fundingRates",
    Effect.fnUntraced(function* (handlers) {
      const { open, read } = yield* Charts
      return handlers.handle(
        "fundingRates",
        Effect.fnUntraced(function* ({
          params: { symbol },
          query: { fromISO: fromMillis, intervalMinutes, toISO: toMillis }
        }) {
          const asked = { symbol, length: intervalMinutes, fromMillis, toMillis }
          const { instrument, windows } = yield* open(asked, minutes, [FundingTable.projection])
          const known = yield* read(FundingTable.lastOf(windows))
          const data = Windows.filled(windows, known).map(([start, row]) =>
            fundingPoint(instrument.symbol, intervalMinutes, start, row?.rateE12)
          )
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "FundingHistoricResponseBody"), data, count: data.length },
            headers: chartCaching
          })
        })
      )
    })
  )
