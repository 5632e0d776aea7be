/** Handles the operator endpoint that tops up a market's reserve fund. */
import { AdminApi } from "@venue/api/admin/Api"
import { microsOf } from "@venue/api/Usd"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindListed, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "reserveFund",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const markets = yield* MarketClient
    const findListed = yield* makeFindListed
    const refusals = yield* apiProblems

    return handlers.handle(
      "topUp",
      Effect.fnUntraced(
        function* ({ payload: { amount, reason, symbol: given, top_up_id } }) {
          const { symbol } = yield* findListed(given)
          const topUp = { topUpId: top_up_id.toLowerCase(), amount: microsOf(amount), reason }
          yield* recordRequest("reserve_fund_top_up_asked", symbol, { topUpId: topUp.topUpId, amount, reason })
          // A repeat of the same id changes nothing, so the call is retried after an unknown outcome.
          const recorded = yield* Effect.retry(markets.topUpFund(symbol, topUp), { times: 2 })
          if (recorded === null)
            return yield* refusals.unfit(
              "body.amount",
              "Expected a smaller amount: a reserve fund holds at most 9 billion USD"
            )
          if (recorded !== topUp.amount)
            return yield* refusals.topUpExists(
              `Top-up ${topUp.topUpId} of ${symbol} already has the amount ${decimalOfMoney(recorded)} USD; this request added nothing. Send a new top_up_id.`
            )
          return { symbol, top_up_id: topUp.topUpId, amount }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)
