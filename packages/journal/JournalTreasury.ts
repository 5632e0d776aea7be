/** The steps of deposits and withdrawals that are true in the same instant as the event of a trader. */
import type { Deposited, DepositReversed } from "@venue/domain/Deposit"
import { journaledStep } from "@venue/domain/DepositSteps"
import { railOf } from "@venue/domain/Rail"
import type { UserId } from "@venue/domain/UserId"
import { storable } from "@venue/postgres/Column"
import type { WithdrawalAccepted, WithdrawalReturned } from "@venue/domain/Withdrawal"
import { stateBeforeReturn, stateOfAccepted } from "@venue/domain/WithdrawalSteps"

/** The event, whose row or step it is. */
export interface TreasuryStep {
  readonly _tag: "TreasuryStep"
  readonly userId: UserId
  readonly event: TreasuryEvent
}

export type TreasuryEvent = Deposited | DepositReversed | WithdrawalAccepted | WithdrawalReturned

/** Parts of the statement of a flush. `isWon` says that the row which `w.draft` names was accepted; parameters count from `first`. */
export const parts = (first: number, isWon: string): string => {
  const p = (offset: number, type: string) => `$${first + offset}::${type}[]`
  return `
  withdrawn as (
    insert into withdrawal (
      withdrawal_id, user_id, rail, method, amount, fee, destination, reasons, state, step, created_at, updated_at, queued_at
    )
    select w.withdrawal_id, w.user_id, w.rail, w.method, w.amount, w.fee, w.destination,
      array(select jsonb_array_elements_text(w.reasons)), w.state, 2, w.at, w.at,
      case w.state when 'QUEUED' then w.at end
    from unnest(${p(0, "text")}, ${p(1, "text")}, ${p(2, "text")}, ${p(3, "text")}, ${p(4, "text")}, ${p(5, "numeric")},
      ${p(6, "numeric")}, ${p(7, "text")}, ${p(8, "jsonb")}, ${p(9, "text")}, ${p(10, "timestamptz")})
      as w (draft, withdrawal_id, user_id, rail, method, amount, fee, destination, reasons, state, at)
    where ${isWon}
    on conflict do nothing
    returning withdrawal_id, user_id, state, created_at
  ),
  withdrawn_steps as (
    insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
    select w.withdrawal_id, s.step, s.from_state, s.to_state, w.user_id, w.created_at
    from withdrawn w cross join lateral (values (1, null, 'ACCEPTED'), (2, 'ACCEPTED', w.state)) as s (step, from_state, to_state)
  ),
  returned as (
    update withdrawal t set state = t.ending, step = t.step + 1, version = t.version + 1, updated_at = w.at
    from unnest(${p(11, "text")}, ${p(12, "text")}, ${p(13, "text")}, ${p(14, "text")}, ${p(15, "timestamptz")})
      as w (draft, withdrawal_id, from_state, ending, at)
    where ${isWon} and t.withdrawal_id = w.withdrawal_id and t.state = w.from_state and t.ending = w.ending
    returning t.withdrawal_id, t.step, w.from_state, t.state, t.ended_by, w.at
  ),
  returned_steps as (
    insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
    select withdrawal_id, step, from_state, state, ended_by, at from returned
  ),
  booked as (
    update deposit t set state = w.to_state, step = t.step + 1, version = t.version + 1, updated_at = w.at,
      credited_at = coalesce(t.credited_at, w.at), reason = coalesce(nullif(w.reason, ''), t.reason)
    from unnest(${p(16, "text")}, ${p(17, "text")}, ${p(18, "text")}, ${p(19, "text")}, ${p(20, "text")}, ${p(21, "timestamptz")})
      as w (draft, deposit_id, from_state, to_state, reason, at)
    where ${isWon} and t.deposit_id = w.deposit_id and t.state = w.from_state
    returning t.deposit_id, t.step, w.from_state, t.state, t.network, w.at
  ),
  booked_steps as (
    insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
    select deposit_id, step, from_state, state, 'rail/' || network, at from booked
  )`
}

/** Each beside the draft it rides along with. Nothing here may fail the statement: all rows of the flush would be unknown. */
export const parameters = (
  rides: ReadonlyArray<readonly [draft: string, ride: TreasuryStep]>
): ReadonlyArray<ReadonlyArray<unknown>> => {
  const accepted = rides.flatMap(([draft, { event, userId }]) =>
    event._tag === "WithdrawalAccepted" ? [{ draft, userId, event }] : []
  )
  const returned = rides.flatMap(([draft, { event }]) =>
    event._tag === "WithdrawalReturned" ? [{ draft, event }] : []
  )
  const booked = rides.flatMap(([draft, { event }]) =>
    event._tag === "Deposited" || event._tag === "DepositReversed" ? [{ draft, event }] : []
  )
  return [
    accepted.map(({ draft }) => draft),
    accepted.map(({ event }) => storable(event.withdrawalId)),
    accepted.map(({ userId }) => userId),
    accepted.map(({ event }) => railOf(event.method)),
    accepted.map(({ event }) => event.method),
    accepted.map(({ event }) => String(event.amount)),
    accepted.map(({ event }) => String(event.fee)),
    accepted.map(({ event }) => storable(event.destination)),
    accepted.map(({ event }) => JSON.stringify(event.reasons)),
    accepted.map(({ event }) => stateOfAccepted(event)),
    accepted.map(({ event }) => new Date(event.atMillis)),
    returned.map(({ draft }) => draft),
    returned.map(({ event }) => event.withdrawalId),
    returned.map(({ event }) => stateBeforeReturn(event.ending)),
    returned.map(({ event }) => event.ending),
    returned.map(({ event }) => new Date(event.atMillis)),
    booked.map(({ draft }) => draft),
    booked.map(({ event }) => event.depositId),
    booked.map(({ event }) => stepOf(event).from),
    booked.map(({ event }) => stepOf(event).to),
    booked.map(({ event }) => (event._tag === "Deposited" ? "" : storable(event.reason))),
    booked.map(({ event }) => new Date(event.atMillis))
  ]
}

const stepOf = ({ _tag }: Deposited | DepositReversed) => journaledStep(_tag === "Deposited" ? "Credited" : "Reversed")
