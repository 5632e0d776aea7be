/** Handles the operator endpoints for external prices: list, set, pause and resume (rule 3.6). */
import { AdminApi } from "@venue/api/admin/Api"
import { priceInForce } from "@venue/api/admin/Prices"
import { units as printed } from "@venue/api/Digits"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { nearestMultiple, unitsOf } from "@venue/domain/Decimal"
import { believable, highestTradableE8 } from "@venue/domain/Oracle"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindActive } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "prices",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const feed = yield* Feed
    const markets = yield* MarketClient
    const refusals = yield* apiProblems

    const findActive = yield* makeFindActive
    const unanswered = {
      DatabaseUnavailable: () => Effect.fail(refusals.draining()),
      Unavailable: () => Effect.fail(refusals.draining())
    }

    const pause = (paused: boolean) =>
      Effect.fnUntraced(function* ({ payload: { reason, symbol: given } }: SymbolRequest) {
        const { symbol } = yield* findActive(given)
        if (!feed.prices.has(symbol)) return yield* refusals.unfit("body.symbol", "Expected a symbol that has a price")
        yield* recordRequest(paused ? "sources_paused" : "sources_resumed", symbol, { reason })
        yield* markets.pauseSources(symbol, paused)
      }, Effect.catchTags(unanswered))

    return handlers
      .handle("list", () =>
        Effect.sync(() => {
          const data = Array.from(feed.prices, ([symbol, priced]) => priceInForce(symbol, priced))
          return { data, count: data.length }
        })
      )
      .handle(
        "set",
        Effect.fnUntraced(function* ({ payload: { confirm = false, price, reason = null, symbol: given } }) {
          const instrument = yield* findActive(given)
          const { symbol } = instrument
          const priceE8 = unitsOf(nearestMultiple(price, 1))
          if (Number.isNaN(priceE8)) return yield* refusals.unfit("body.price", "Expected at most eight decimal places")
          const inForce = feed.prices.get(symbol)
          const highestE8 = highestTradableE8(instrument, inForce?.openInterestLots ?? 0)
          if (priceE8 > highestE8)
            return yield* refusals.unfit(
              "body.price",
              `Expected at most ${printed(highestE8)}: at a higher price, the value of the open positions could not be calculated exactly`
            )
          if (inForce !== undefined && !confirm) {
            const { lowerE8, upperE8 } = believable(inForce.oracleE8)
            if (priceE8 < lowerE8 || priceE8 > upperE8)
              return yield* refusals.unfit(
                "body.price",
                `Expected ${printed(lowerE8)} to ${printed(upperE8)}, or "confirm": true for a price outside this range`
              )
          }
          yield* recordRequest("price_asked", symbol, { price, confirm, reason })
          yield* markets.observe(symbol, priceE8, "operator")
          return { symbol, price }
        }, Effect.catchTags(unanswered))
      )
      .handle("pause", pause(true))
      .handle("resume", pause(false))
  })
)

interface SymbolRequest {
  readonly payload: { readonly symbol: string; readonly reason: string }
}
