/** Handles the operator endpoint that splits a contract. */
import { AdminApi } from "@venue/api/admin/Api"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { millisOfDay } from "@venue/domain/Rfc3339"
import { dateOf, dayOf } from "@venue/domain/Day"
import { moneyScale } from "@venue/domain/Decimal"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SplitContract } from "@venue/domain/Split"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindActive, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "splits",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const markets = yield* MarketClient
    const findActive = yield* makeFindActive
    const refusals = yield* apiProblems

    /** Repeats the split call until all of the market's orders are cancelled; each call cancels a limited number. */
    const splitContract = Effect.fnUntraced(function* (symbol: MarketSymbol, split: Omit<SplitContract, "_tag">) {
      for (let calls = 0; calls < maxCalls; calls++) {
        const { isDone, missing } = yield* Effect.retry(markets.splitContract(symbol, split), { times: 2 })
        if (isDone) return
        if (missing === null)
          return yield* refusals.notSplit(
            `${symbol} is not halted, or could not trade at its price after the split; halt it with POST /trading-state, or choose another ratio.`
          )
        if (missing > 0)
          return yield* refusals.notSplit(
            `The reserve fund of ${symbol} needs ${missing / moneyScale} USD more to buy the fractional lots; add this amount with POST /reserve-fund and try again.`
          )
      }
      return yield* refusals.notSplit(`${symbol} still has open orders; send the same request again.`)
    })

    return handlers.handle(
      "split",
      Effect.fnUntraced(
        function* ({ payload: { denominator, ex_date, numerator, reason, symbol: given } }) {
          const { category, symbol } = yield* findActive(given)
          if (category !== "EQUITY") return yield* refusals.unfit("body.symbol", "Expected the symbol of a stock")
          if (numerator === denominator)
            return yield* refusals.unfit("body.denominator", "Expected a denominator that differs from the numerator")
          const exDay = dayOf(millisOfDay(ex_date)!)
          if (exDay > dayOf(yield* Clock.currentTimeMillis))
            return yield* refusals.unfit(
              "body.ex_date",
              "Expected today or an earlier day: a split takes effect at once"
            )
          const { lastSplitDay, tradingState } = yield* markets.depth(symbol)
          if (exDay <= lastSplitDay)
            return yield* refusals.notSplit(
              `The last split of ${symbol} had the ex_date ${dateOf(lastSplitDay)}; send a later ex_date.`
            )
          if (tradingState !== "HALTED")
            return yield* refusals.notSplit(`${symbol} is not halted; halt it first with POST /trading-state.`)
          yield* recordRequest("split_asked", symbol, { numerator, denominator, exDate: ex_date, reason })
          yield* splitContract(symbol, { exDay, numerator, denominator })
          return { symbol, numerator, denominator, ex_date }
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)

/** Maximum number of calls for one request; each cancels at most 4,000 orders. */
const maxCalls = 64
