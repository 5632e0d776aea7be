/** Alarms for rails, deposits and withdrawals. */
import { instant } from "@venue/api/Digits"
import * as ReasonText from "@venue/api/treasury/ReasonText"
import { RailName } from "@venue/domain/Rail"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect } from "effect"
import { type Condition, reading } from "./AlarmSource.ts"

export const make = Effect.gen(function* () {
  const deposits = yield* Deposits
  const rails = yield* RailStates
  const withdrawals = yield* Withdrawals

  const unavailable = Effect.map(
    Effect.forEach(RailName.literals, (rail) => rails.find(rail)),
    (states) =>
      states.flatMap(({ cause, rail, unavailableSinceMillis }) =>
        unavailableSinceMillis === null
          ? []
          : [alarm("RAIL_UNAVAILABLE", unavailableSinceMillis, { rail, reason: ReasonText.outage(cause!) })]
      )
  )
  const held = Effect.map(withdrawals.inState("HELD_FOR_REVIEW", oldest), (list) =>
    list.flatMap(({ ending, rail, updatedAtMillis, withdrawalId }) =>
      ending === null ? [alarm("WITHDRAWAL_HELD", updatedAtMillis, { rail, withdrawal_id: withdrawalId })] : []
    )
  )
  const notSigned = Effect.map(withdrawals.refused(oldest.limit), (list) =>
    list.map(({ rail, refusal, refusedAtMillis, withdrawalId }) =>
      alarm("WITHDRAWAL_NOT_SIGNED", refusedAtMillis!, {
        rail,
        withdrawal_id: withdrawalId,
        reason: ReasonText.obstacle(refusal!)
      })
    )
  )
  const stuck = Effect.gen(function* () {
    const sentBefore = (yield* Clock.currentTimeMillis) - stuckAfterMillis
    const sent = yield* withdrawals.inState("SUBMITTED", oldest)
    return sent.flatMap(({ rail, updatedAtMillis, withdrawalId }) =>
      updatedAtMillis <= sentBefore
        ? [alarm("WITHDRAWAL_STUCK", updatedAtMillis, { rail, withdrawal_id: withdrawalId })]
        : []
    )
  })
  const unmatched = Effect.map(deposits.unmatched(oldest), (list) =>
    list.map(({ depositId, detectedAtMillis, rail }) =>
      alarm("DEPOSIT_UNMATCHED", detectedAtMillis, { rail, deposit_id: depositId })
    )
  )
  return Effect.map(Effect.all([unavailable, held, notSigned, stuck, unmatched]), (kinds) => [
    reading("treasury", kinds.flat())
  ])
})

const oldest = { limit: 100, offset: 0 }
const stuckAfterMillis = 60 * 60 * 1000

const alarm = (
  kind: Condition["kind"],
  sinceMillis: number,
  about: Pick<Condition, "rail" | "withdrawal_id" | "deposit_id" | "reason">
): Condition => ({ kind, symbol: null, since: instant(sinceMillis), ...about })
