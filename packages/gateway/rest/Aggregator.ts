/** Handles `GET /md/contracts` and `GET /md/orderbook/{symbol}`. */
import { schemaUri } from "@venue/api/Problem"
import { contract, orderBook } from "@venue/api/rest/Aggregator"
import { Api } from "@venue/api/rest/Api"
import { chartCaching } from "@venue/api/rest/ChartRange"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as MarketFigures from "./MarketFigures.ts"

export const layer = group(
  Api,
  "aggregator",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const { depth, instruments } = yield* Feed
    const refusals = yield* apiProblems
    const marketsNow = yield* MarketFigures.make(refusals)
    return handlers
      .handle(
        "contracts",
        Effect.fnUntraced(function* ({ query }) {
          const named = query.symbol?.toUpperCase()
          if (named !== undefined && !instruments.has(MarketSymbol.make(named)))
            return yield* refusals.unknownSymbolFilter(named)
          const markets = yield* marketsNow
          const now = yield* Clock.currentTimeMillis
          const data = markets
            .filter(({ instrument }) => named === undefined || instrument.symbol === named)
            .map((market) => contract(market, now))
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "ContractsResponseBody"), data },
            headers: chartCaching
          })
        })
      )
      .handle(
        "orderBook",
        Effect.fnUntraced(function* ({ params }) {
          const instrument = instruments.get(MarketSymbol.make(params.symbol.toUpperCase()))
          if (instrument === undefined) return yield* refusals.unknownSymbol(params.symbol)
          const { levels } = depth(instrument.symbol)!
          const book = orderBook(instrument, levels("BUY"), levels("SELL"), yield* Clock.currentTimeMillis)
          return HttpApiSchema.withHeaders({
            body: { $schema: schemaUri(baseUrl, "OrderBookResponseBody"), ...book },
            headers: chartCaching
          })
        })
      )
  })
)
