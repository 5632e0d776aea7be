/** Handles `GET /refdata`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { caching, refdataSymbol } from "@venue/api/rest/Refdata"
import { Feed } from "@venue/cluster/feed/Feed"
import { marketHours } from "@venue/domain/MarketHours"
import type { TradingState } from "@venue/domain/TradingState"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as MarketFigures from "./MarketFigures.ts"

export const layer = group(
  Api,
  "refdata",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const { instruments, prices, tradingStates } = yield* Feed
    const marketsNow = yield* MarketFigures.make(yield* apiProblems)

    return handlers.handle("refdata", ({ query }) =>
      Effect.map(marketsNow, (markets) => {
        const ticker = query.ticker?.toUpperCase()
        const listed = Array.from(instruments.values()).filter(
          ({ symbol }) => ticker === undefined || symbol === ticker
        )
        const changes = new Map(markets.map(({ changePercent, instrument }) => [instrument.symbol, changePercent]))
        const data = listed.map((instrument) => {
          const { symbol } = instrument
          const priced = prices.get(symbol)
          return refdataSymbol(instrument, {
            oracleE8: priced?.oracleE8 ?? 0,
            minPriceTicks: priced?.minPriceTicks ?? 0,
            maxPriceTicks: priced?.maxPriceTicks ?? 0,
            changePercent: changes.get(symbol) ?? 0,
            hours: marketHours(instrument),
            status: statusOf(tradingStates.get(symbol) ?? "TRADING")
          })
        })
        return HttpApiSchema.withHeaders({
          body: { $schema: schemaUri(baseUrl, "RefdataResponse"), type: "refdata" as const, data },
          headers: caching
        })
      })
    )
  })
)

export const statusOf = (state: TradingState) =>
  state === "TRADING" ? "ACTIVE" : state === "DELISTED" ? "DELISTED" : "INACTIVE"
