/** Handles the operator endpoint that pays a dividend. */
import { AdminApi } from "@venue/api/admin/Api"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { millisOfDay } from "@venue/domain/Rfc3339"
import { dateOf, dayOf } from "@venue/domain/Day"
import { nearestMultiple, unitsOf } from "@venue/domain/Decimal"
import { isOver } from "@venue/domain/TradingState"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindListed, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "dividends",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const feed = yield* Feed
    const markets = yield* MarketClient
    const findListed = yield* makeFindListed
    const refusals = yield* apiProblems

    return handlers.handle(
      "pay",
      Effect.fnUntraced(
        function* ({ payload: { amount, ex_date, reason, symbol: given } }) {
          const { category, symbol } = yield* findListed(given)
          if (category !== "EQUITY") return yield* refusals.unfit("body.symbol", "Expected the symbol of a stock")
          const perUnitE8 = unitsOf(nearestMultiple(amount, 1))
          if (Number.isNaN(perUnitE8))
            return yield* refusals.unfit("body.amount", "Expected at most eight decimal places")
          const prices = feed.prices.get(symbol)
          if (prices === undefined) return yield* refusals.unfit("body.symbol", "Expected a symbol that has a price")
          if (perUnitE8 >= prices.oracleE8)
            return yield* refusals.unfit("body.amount", "Expected an amount below the price of the symbol")
          const exDay = dayOf(millisOfDay(ex_date)!)
          if (exDay > dayOf(yield* Clock.currentTimeMillis))
            return yield* refusals.unfit("body.ex_date", "Expected today or an earlier day: a dividend is paid at once")
          const { lastDividendDay, tradingState } = yield* markets.depth(symbol)
          if (isOver(tradingState)) return yield* refusals.symbolDelisted(symbol)
          if (exDay <= lastDividendDay)
            return yield* refusals.dividendPaid(
              `The last dividend on ${symbol} had the ex_date ${dateOf(lastDividendDay)}; nothing was paid now. Send a later ex_date.`
            )
          yield* recordRequest("dividend_asked", symbol, { amount, exDate: ex_date, reason })
          // A repeat for the same day changes nothing, so the call is retried after an unknown outcome.
          yield* Effect.retry(markets.payDividend(symbol, exDay, perUnitE8), { times: 2 })
          return { symbol, amount, ex_date }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)
