/** Handles the operator endpoints for trading states; markets resume trading step by step (rule 1.7, I53). */
import { AdminApi } from "@venue/api/admin/Api"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Oracle from "@venue/domain/Oracle"
import type { OpenState } from "@venue/domain/TradingState"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindSymbols, unanswered } from "./Operators.ts"
import * as Proof from "./Proof.ts"

export const layer = group(
  AdminApi,
  "tradingState",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const feed = yield* Feed
    const markets = yield* MarketClient
    const tables = yield* ReadTables
    const findSymbols = yield* makeFindSymbols
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems

    const stateOf = (symbol: MarketSymbol) =>
      Effect.map(markets.depth(symbol), ({ prices, tradingState }) => ({ prices, state: tradingState }))
    /** Returns the reason why a market is not allowed to trade, or an empty string if it is allowed. */
    const obstacle = Effect.fnUntraced(function* (symbol: MarketSymbol) {
      const { prices, state } = yield* stateOf(symbol)
      if (state === "HALTED") return `${symbol} is halted; set CANCEL_ONLY first with POST /trading-state.`
      if (prices === null) return `${symbol} has no price yet; wait for a price, or set one with POST /prices.`
      const isFresh = Oracle.isFresh(instruments.get(symbol)!, prices, yield* Clock.currentTimeMillis)
      return isFresh ? "" : `The price of ${symbol} is stale; wait for a fresh price, or set one with POST /prices.`
    })
    /** Checks all symbols before changing the first one, and refuses the request with all obstacles together. */
    const mayTrade = Effect.fnUntraced(function* (symbols: ReadonlyArray<MarketSymbol>) {
      const obstacles = (yield* Effect.forEach(symbols, obstacle)).filter((text) => text !== "")
      if (obstacles.length > 0) return yield* refusals.notResumable(obstacles.join(" "))
      const { balanced } = yield* Proof.of(instruments, markets, tables)
      if (!balanced)
        return yield* refusals.notResumable(
          "The books do not balance; see GET /proof, and resume trading once the books balance."
        )
    })
    const set = Effect.fnUntraced(function* (symbol: MarketSymbol, state: OpenState, reason: string) {
      yield* recordRequest("trading_state_asked", symbol, { state, reason })
      // A repeat of the same state changes nothing, so the call is retried after an unknown outcome.
      yield* Effect.retry(markets.setTradingState(symbol, state), { times: 2 })
      return { symbol, state }
    })

    return handlers
      .handle("list", () =>
        Effect.sync(() => {
          const data = [...instruments.keys()].flatMap((symbol) => {
            const state = feed.tradingStates.get(symbol)
            return state === undefined ? [] : [{ symbol, state }]
          })
          return { data, count: data.length }
        })
      )
      .handle(
        "set",
        Effect.fnUntraced(
          function* ({ payload: { reason, state, symbols: given } }) {
            const symbols = yield* findSymbols(given)
            if (state === "TRADING") yield* mayTrade(symbols)
            const data = yield* Effect.forEach(symbols, (symbol) => set(symbol, state, reason))
            return { data, count: data.length }
          },
          Effect.catchTags(unanswered(refusals))
        )
      )
  })
)
