/** Handles the operator endpoint that sets a contract's limits. */
import { AdminApi } from "@venue/api/admin/Api"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { nearestMultiple, unitsOf } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import * as Limits from "@venue/domain/Limits"
import { isOver } from "@venue/domain/TradingState"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindListed, unanswered } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "limits",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const markets = yield* MarketClient
    const findListed = yield* makeFindListed
    const refusals = yield* apiProblems

    return handlers.handle(
      "set",
      Effect.fnUntraced(
        function* ({ payload: { reason, symbol: given, ...change } }) {
          const instrument = yield* findListed(given)
          const { symbol } = instrument
          const { limits: before, tradingState } = yield* markets.depth(symbol)
          if (isOver(tradingState)) return yield* refusals.symbolDelisted(symbol)
          const limits = changed(instrument, before, change)
          const flaw = Limits.flawOf(limits)
          if (flaw !== undefined)
            return yield* refusals.unfit(`body.${fields[flaw.limit]}`, `Expected ${flaw.expected}`)
          yield* recordRequest("limits_asked", symbol, { ...change, reason })
          // A repeat of the same limits changes nothing, so the call is retried after an unknown outcome.
          yield* Effect.retry(markets.setLimits(symbol, limits), { times: 2 })
          return limitsBody(instrument, limits)
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)

const fields: Record<keyof Limits.Limits, string> = {
  minQuantityLots: "min_quantity",
  maxQuantityLots: "max_quantity",
  positionUsd: "position_limit",
  openInterestUsd: "open_interest_limit"
}

interface LimitsChange {
  readonly min_quantity?: number
  readonly max_quantity?: number
  readonly position_limit?: number
  readonly open_interest_limit?: number
}

function changed({ lotE8 }: Instrument, before: Limits.Limits, change: LimitsChange): Limits.Limits {
  const lots = (quantity: number) => unitsOf(nearestMultiple(quantity, lotE8)) / lotE8
  return {
    minQuantityLots: change.min_quantity === undefined ? before.minQuantityLots : lots(change.min_quantity),
    maxQuantityLots: change.max_quantity === undefined ? before.maxQuantityLots : lots(change.max_quantity),
    positionUsd: change.position_limit ?? before.positionUsd,
    openInterestUsd: change.open_interest_limit ?? before.openInterestUsd
  }
}

const limitsBody = (instrument: Instrument, limits: Limits.Limits) => ({
  symbol: instrument.symbol,
  min_quantity: quantityOf(instrument, limits.minQuantityLots),
  max_quantity: quantityOf(instrument, limits.maxQuantityLots),
  position_limit: limits.positionUsd,
  open_interest_limit: limits.openInterestUsd
})
