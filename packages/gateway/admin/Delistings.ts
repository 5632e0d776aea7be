/** Handles the operator endpoint that delists a contract. */
import { AdminApi } from "@venue/api/admin/Api"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { unitScale } from "@venue/domain/Decimal"
import { isOver } from "@venue/domain/TradingState"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindListed, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "delistings",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const markets = yield* MarketClient
    const findListed = yield* makeFindListed
    const refusals = yield* apiProblems

    return handlers.handle(
      "delist",
      Effect.fnUntraced(
        function* ({ payload: { reason, symbol: given } }) {
          const { symbol } = yield* findListed(given)
          const before = yield* markets.depth(symbol)
          if (before.tradingState === "TRADING")
            return yield* refusals.symbolTrades(`${symbol} still trades; stop trading first with POST /trading-state.`)
          if (!isOver(before.tradingState)) {
            yield* recordRequest("delisting_asked", symbol, { reason })
            // A delisting that has begun is idempotent, so the call is retried after an unknown outcome.
            yield* Effect.retry(markets.delist(symbol), { times: 2 })
          }
          const { prices, tradingState: state } = yield* markets.depth(symbol)
          if (state !== "IN_SETTLEMENT" && state !== "DELISTED")
            return yield* refusals.symbolTrades(
              `${symbol} was set to TRADING in the meantime; nothing was changed. Stop trading with POST /trading-state and try again.`
            )
          return { symbol, state, settlement_price: prices === null ? null : prices.markE8 / unitScale }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)
