/** Handles the operator endpoints for the venue mode, which resumes step by step (I53). */
import { AdminApi } from "@venue/api/admin/Api"
import { instant } from "@venue/api/Digits"
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import { Feed } from "@venue/cluster/feed/Feed"
import * as Oracle from "@venue/domain/Oracle"
import type { VenueMode } from "@venue/domain/VenueMode"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { NotResumable, VenueModes } from "@venue/storage/access/VenueModes"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Clock, Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"
import * as Recovery from "./Recovery.ts"

export const layer = group(
  AdminApi,
  "venueMode",
  Effect.fnUntraced(function* (handlers) {
    const actions = yield* VenueModeActions
    const modes = yield* VenueModes
    const feed = yield* Feed
    const recoveries = yield* Recoveries
    const refusals = yield* apiProblems
    /** Fails while rows are missing that a witness has seen (I57). */
    const complete = Effect.flatMap(
      recoveries.pending,
      Option.match({
        onNone: () => Effect.void,
        onSome: ({ state }) => Effect.fail(new NotResumable({ why: Recovery.obstacleOf(state) }))
      })
    )
    /**
     * Returns an obstacle for each trading market whose price is stale. Skips other markets, because they accept no
     * orders.
     */
    const stale = Effect.map(Clock.currentTimeMillis, (nowMillis) =>
      [...feed.prices].flatMap(([symbol, prices]) => {
        const trades = feed.tradingStates.get(symbol) === "TRADING"
        const isFresh = Oracle.isFresh(feed.instruments.get(symbol)!, prices, nowMillis)
        return trades && !isFresh
          ? [`The price of ${symbol} is stale; wait for a fresh price, or halt the contract.`]
          : []
      })
    )
    const answered = (work: Effect.Effect<unknown, NotResumable | DatabaseUnavailable>) =>
      Effect.catchTags(Effect.andThen(work, Effect.map(modes.inForce, bodyOf)), {
        NotResumable: ({ why }) => Effect.fail(refusals.venueNotResumable(why)),
        DatabaseUnavailable: () => Effect.fail(refusals.draining())
      })
    return handlers
      .handle("show", () =>
        Effect.map(modes.inForce, bodyOf).pipe(
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
        )
      )
      .handle(
        "change",
        Effect.fnUntraced(function* ({ payload: { public_reason, reason, to } }) {
          const by = yield* byOperator(reason)
          if (to === "HALTED") return yield* answered(actions.halt(by, public_reason))
          if (to === "WITHDRAWALS_BLOCKED") return yield* answered(actions.blockWithdrawals(by))
          const obstacles = to === "TRADING" ? yield* stale : []
          if (obstacles.length > 0) return yield* refusals.venueNotResumable(obstacles.join(" "))
          return yield* answered(actions.resume(to, by, public_reason, complete))
        })
      )
  })
)

const bodyOf = ({ auditedAtMillis, changedAtMillis, changedBy, ...mode }: VenueMode) => ({
  trading: mode.trading,
  withdrawals: mode.withdrawals,
  changed_by: changedBy,
  changed_at: instant(changedAtMillis),
  reason: mode.reason,
  public_reason: mode.publicReason,
  audited_at: auditedAtMillis === null ? null : instant(auditedAtMillis),
  fault: mode.fault,
  difference: mode.difference
})
