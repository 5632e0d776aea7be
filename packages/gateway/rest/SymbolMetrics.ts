/** Handles `GET /symbols/metrics`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { chartCaching } from "@venue/api/rest/ChartRange"
import { symbolMetrics } from "@venue/api/rest/SymbolMetrics"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as MarketFigures from "./MarketFigures.ts"

export const layer = group(
  Api,
  "symbolMetrics",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const marketsNow = yield* MarketFigures.make(yield* apiProblems)
    return handlers.handle("symbolMetrics", () =>
      Effect.map(marketsNow, (markets) => {
        const data = markets.map(symbolMetrics)
        return HttpApiSchema.withHeaders({
          body: { $schema: schemaUri(baseUrl, "SymbolMetricsResponseBody"), data, count: data.length },
          headers: chartCaching
        })
      })
    )
  })
)
