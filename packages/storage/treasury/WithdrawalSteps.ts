/** The steps of withdrawals on Postgres, each one statement. */
import { storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Seal } from "@venue/postgres/Seal"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as LedgerEntries from "../history/LedgerEntries.ts"
import { areOpen, isBlocked } from "./Blocks.ts"
import { railActor } from "./Steps.ts"
import { payments, sealName, type StoredPayment, type WithdrawalsShape } from "./WithdrawalTable.ts"

/** An operator has looked, or has to. */
export const reviewed = (
  sql: SqlClient.SqlClient
): Pick<WithdrawalsShape, "approve" | "refuse" | "cancel" | "end"> => ({
  approve: Effect.fn("Withdrawals.approve")(function* (withdrawalId: string, actor: string) {
    const at = new Date(yield* Clock.currentTimeMillis)
    return yield* stepped(sql`
      with moved as (
        update withdrawal set state = 'QUEUED', step = step + 1, updated_at = ${at}, queued_at = ${at}
        where withdrawal_id = ${storable(withdrawalId)} and state = 'HELD_FOR_REVIEW' and ending is null
        returning withdrawal_id, step
      )
      insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
      select withdrawal_id, step, 'HELD_FOR_REVIEW', 'QUEUED', ${storable(actor)}, ${at}::timestamptz from moved
      returning 1`)
  }, orUnavailable),
  refuse: Effect.fn("Withdrawals.refuse")(function* (withdrawalId: string, reason: string) {
    const at = new Date(yield* Clock.currentTimeMillis)
    return yield* stepped(sql`
      with before as (
        select refusal from withdrawal
        where withdrawal_id = ${withdrawalId} and state in ('QUEUED', 'SUBMITTED') and ending is null for update
      ),
      after as (
        update withdrawal
        set refused_at = coalesce(refused_at, ${at}::timestamptz), refusal = ${storable(reason)},
          queued_at = case state when 'QUEUED' then ${at}::timestamptz else queued_at end
        from before where withdrawal_id = ${withdrawalId}
      )
      select 1 from before where refusal is distinct from ${storable(reason)}`)
  }, orUnavailable),
  cancel: Effect.fn("Withdrawals.cancel")(function* (withdrawalId, { by, reason }) {
    return yield* stepped(sql`
      update withdrawal set cancelled_by = ${storable(by)}, cancel_reason = ${storable(reason)}
      where withdrawal_id = ${storable(withdrawalId)} and ending is null and cancelled_by is null
        and (state = 'SUBMITTED'
          or (state = 'QUEUED' and (refused_at is not null or ${sql.literal(isBlocked)}))) returning 1`)
  }, orUnavailable),
  end: Effect.fn("Withdrawals.end")(function* (withdrawalId, { by, ending, reason, reference }) {
    const from = ending === "REJECTED" ? "HELD_FOR_REVIEW" : "SUBMITTED"
    return yield* stepped(sql`
      update withdrawal
      set ending = ${ending}, ended_by = ${storable(by)}, reason = ${storable(reason)},
        reference = coalesce(${reference ?? null}, reference)
      where withdrawal_id = ${storable(withdrawalId)} and state = ${from} and ending is null returning 1`)
  }, orUnavailable)
})

/** It leaves, and has arrived. */
export const paid = (
  sql: SqlClient.SqlClient,
  seals: Seal["Service"],
  hasAuditor: boolean
): Pick<WithdrawalsShape, "submit" | "attempt" | "settle"> => {
  const mayLeave = sql.literal(`cancelled_by is null and ${areOpen(hasAuditor)} and not ${isBlocked}`)
  // Nothing leaves with a cancel, and no payment is stored of what is to be cancelled.
  const isCancelled = sql.literal("cancelled_by is not null")
  return {
    submit: Effect.fn("Withdrawals.submit")(function* ({ cancelledBy, rail, withdrawalId }, sequence) {
      const at = new Date(yield* Clock.currentTimeMillis)
      return yield* stepped(sql`
        with moved as (
          update withdrawal
          set state = 'SUBMITTED', step = step + 1, updated_at = ${at}, sequence = ${BigInt(sequence)},
            refused_at = null, refusal = null
          where withdrawal_id = ${withdrawalId} and state = 'QUEUED' and ending is null
            and ${cancelledBy === null ? mayLeave : isCancelled}
            and not exists (
              select 1 from withdrawal w where w.rail = ${rail} and w.sequence = ${BigInt(sequence)}
            )
          returning withdrawal_id, step
        )
        insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
        select withdrawal_id, step, 'QUEUED', 'SUBMITTED', ${railActor(rail)}, ${at}::timestamptz from moved
        returning 1`)
    }, orUnavailable),
    attempt: Effect.fn("Withdrawals.attempt")(function* (withdrawalId: string, { bytes, ...payment }: StoredPayment) {
      const sealedBytes = seals.seal(bytes, sealName(withdrawalId, payment.attempt))
      const isCancel = payment.purpose === "cancel"
      return yield* stepped(sql`
        with stored as (
          ${payments.batch([{ withdrawalId, ...payment, sealedBytes }]).insert(0, 1)}
          where exists (
            select 1 from withdrawal
            where withdrawal_id = ${withdrawalId} and state = 'SUBMITTED' and ending is null
              and (cancelled_by is null or ${isCancel}) for update
          ) on conflict do nothing returning withdrawal_id
        )
        update withdrawal w
        set refused_at = null, refusal = null,
          reference = case when ${isCancel} then w.reference else ${payment.reference} end
        from stored s where w.withdrawal_id = s.withdrawal_id returning 1`)
    }, orUnavailable),
    settle: Effect.fn("Withdrawals.settle")(function* (withdrawal, reference) {
      const { rail, step, withdrawalId } = withdrawal
      const atMillis = yield* Clock.currentTimeMillis
      const at = new Date(atMillis)
      const { batch } = LedgerEntries.paidOut(withdrawal, step + 1, atMillis)
      return yield* stepped(sql`
        with moved as (
          update withdrawal set state = 'SETTLED', step = step + 1, updated_at = ${at}, reference = ${reference}
          where withdrawal_id = ${withdrawalId} and state = 'SUBMITTED' and ending is null and step = ${step}
          returning withdrawal_id, step
        ),
        entries as (${batch.insert(0, batch.rows)} where exists (select 1 from moved))
        insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
        select withdrawal_id, step, 'SUBMITTED', 'SETTLED', ${railActor(rail)}, ${at}::timestamptz from moved
        returning 1`)
    }, orUnavailable)
  }
}

const stepped = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => Effect.map(rows, ({ length }) => length > 0)
