/** Changes to withdrawals: the domain's state machine applied to a store, and the store's Postgres implementation. */
import { UnknownWithdrawal } from "@venue/domain/Withdrawal"
import { apply, decide, type WithdrawalChange, WithdrawalStepRefused } from "@venue/domain/WithdrawalSteps"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Seal } from "@venue/postgres/Seal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as LedgerEntries from "../history/LedgerEntries.ts"
import { areOpen, isBlocked } from "./Blocks.ts"
import { changedColumns, changing, insertsIfMoved, type Store, withdrawalSteps } from "./Steps.ts"
import {
  payments,
  sealName,
  type StoredPayment,
  type Withdrawal,
  type WithdrawalRow,
  withdrawalTable,
  type WithdrawalsShape
} from "./WithdrawalTable.ts"

/** Store of withdrawals; a signed payment is written together with the change that stores it. */
export type WithdrawalStore = Store<Withdrawal, WithdrawalChange, StoredPayment | undefined>

export const changes = (store: WithdrawalStore): Pick<WithdrawalsShape, "change" | "attempt"> => {
  const change = changing({ apply, decide }, store, {
    unknown: (withdrawalId) => new UnknownWithdrawal({ withdrawalId }),
    constraint: ({ state, withdrawalId }, { _tag }) => new WithdrawalStepRefused({ withdrawalId, command: _tag, state })
  })
  return {
    change: Effect.fn("Withdrawals.change")((withdrawalId, command) => change(withdrawalId, command, undefined)),
    attempt: Effect.fn("Withdrawals.attempt")((withdrawalId, payment) => {
      const { attempt, purpose, reference } = payment
      return change(withdrawalId, { _tag: "StoreAttempt", attempt, purpose, reference }, payment)
    })
  }
}

/** Returns the row for a change's state transition, or undefined if the state is unchanged. */
export const stepOf = (before: WithdrawalRow, after: WithdrawalRow, { atMillis, ...change }: WithdrawalChange) =>
  after.step === before.step || !("by" in change)
    ? undefined
    : {
        withdrawalId: after.withdrawalId,
        fromState: before.state,
        toState: after.state,
        step: after.step,
        actor: change.by,
        atMillis
      }

/** Returns a change's ledger entries, if any, with the transition's number as their sequence number. */
export const entriesOf = (after: WithdrawalRow, { _tag, atMillis }: WithdrawalChange) =>
  _tag === "Settled" ? LedgerEntries.paidOut(after, after.step, atMillis) : undefined

/**
 * Whether a change allows money to leave. Such a change is stored only while withdrawals are open and nothing blocks
 * this withdrawal.
 */
export const letsMoneyLeave = (change: WithdrawalChange): boolean =>
  change._tag === "Submitted" && change.purpose === "pay"

/**
 * Returns whether an operator can cancel the withdrawal only because it is blocked. Such a cancel request is stored
 * only while the withdrawal is still blocked.
 */
export const needsBlock = ({ refusal, state }: WithdrawalRow, { _tag }: WithdrawalChange): boolean =>
  _tag === "CancelRequested" && state === "QUEUED" && refusal === null

/** Writes each change in a single statement. */
export const write =
  (sql: SqlClient.SqlClient, seals: Seal["Service"], hasAuditor: boolean): WithdrawalStore["write"] =>
  (before, after, change, payment) => {
    const { rail, withdrawalId } = before
    const step = stepOf(before, after, change)
    const entries = entriesOf(after, change)?.batch
    const stored = payment === undefined ? undefined : sealed(seals, withdrawalId, payment)
    const rows = [step && withdrawalSteps.batch([step]), stored && payments.batch([stored]), entries]
    const isFree =
      change._tag === "Submitted"
        ? sql`and not exists (
            select 1 from withdrawal w where w.rail = ${rail} and w.sequence = ${BigInt(change.sequence)}
          )`
        : sql.literal("")
    const mayLeave = sql.literal(letsMoneyLeave(change) ? `and ${areOpen(hasAuditor)} and not ${isBlocked}` : "")
    const isStuck = sql.literal(needsBlock(before, change) ? `and ${isBlocked}` : "")
    return sql`
      with moved as (
        update withdrawal set ${withdrawalTable.set(changedColumns(before, after))}
        where withdrawal_id = ${withdrawalId} and version = ${before.version} ${isFree} ${mayLeave} ${isStuck}
        returning 1
      )${insertsIfMoved(sql, rows)}
      select 1 from moved`.pipe(
      Effect.map(({ length }) => length > 0),
      orUnavailable
    )
  }

const sealed = (seals: Seal["Service"], withdrawalId: string, { bytes, ...payment }: StoredPayment) => ({
  withdrawalId,
  ...payment,
  sealedBytes: seals.seal(bytes, sealName(withdrawalId, payment.attempt))
})
