/** Answers an operator who puts money into the reserve fund of a market. */
import { AdminApi } from "@venue/api/admin/Api"
import { microsOf } from "@venue/api/Usd"
import { problems } from "@venue/api/Problem"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Effect } from "effect"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeAsked, makeListed, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "reserveFund",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const asked = yield* makeAsked
    const markets = yield* MarketClient
    const listed = yield* makeListed
    const refusals = problems(baseUrl)

    return handlers.handle(
      "topUp",
      Effect.fnUntraced(
        function* ({ payload: { amount, reason, symbol: given, top_up_id } }) {
          const { symbol } = yield* listed(given)
          const topUp = { topUpId: top_up_id.toLowerCase(), amount: microsOf(amount), reason }
          yield* asked("reserve_fund_top_up_asked", symbol, { topUpId: topUp.topUpId, amount, reason })
          // The same id again changes nothing, so what is unknown is asked again.
          const counted = yield* Effect.retry(markets.topUpFund(symbol, topUp), { times: 2 })
          if (counted === null)
            return yield* refusals.unfit("body.amount", "Expected less: no fund counts nine billion USD")
          if (counted !== topUp.amount)
            return yield* refusals.topUpExists(
              `The top-up ${topUp.topUpId} of ${symbol} had the amount ${decimalOfMoney(counted)}; nothing was added now. Send a new top_up_id.`
            )
          return { symbol, top_up_id: topUp.topUpId, amount }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)
