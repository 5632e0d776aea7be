/** Parts of the flush statement that store deposits and withdrawals, in the same commit as the trader's event. */
import type { Deposited, DepositReversed } from "@venue/domain/Deposit"
import { journaledStep } from "@venue/domain/DepositSteps"
import { railOf } from "@venue/domain/Rail"
import { stateBeforeReturn, stateOfAccepted } from "@venue/domain/WithdrawalSteps"
import { storable } from "@venue/postgres/Column"
import * as FlushPart from "./FlushPart.ts"
import type { Alongside, TreasuryStep } from "./JournalStream.ts"

type StepOf<Tag extends TreasuryStep["event"]["_tag"]> = TreasuryStep<
  Extract<TreasuryStep["event"], { readonly _tag: Tag }>
>

const isStep =
  <Tag extends TreasuryStep["event"]["_tag"]>(...tags: ReadonlyArray<Tag>) =>
  (change: Alongside): change is StepOf<Tag> =>
    change._tag === "TreasuryStep" && tags.some((tag) => tag === change.event._tag)

/** A part must never fail the statement, because the outcome of every row in the flush would then be unknown. */
export const parts: ReadonlyArray<FlushPart.FlushPart> = [
  FlushPart.make<StepOf<"WithdrawalAccepted">>({
    name: "withdrawn",
    includes: isStep("WithdrawalAccepted"),
    columns: [
      ["withdrawal_id", "text", ({ change }) => storable(change.event.withdrawalId)],
      ["user_id", "text", ({ change }) => change.userId],
      ["rail", "text", ({ change }) => railOf(change.event.method)],
      ["method", "text", ({ change }) => change.event.method],
      ["amount", "numeric", ({ change }) => String(change.event.amount)],
      ["fee", "numeric", ({ change }) => String(change.event.fee)],
      ["destination", "text", ({ change }) => storable(change.event.destination)],
      ["reasons", "jsonb", ({ change }) => JSON.stringify(change.event.reasons)],
      ["state", "text", ({ change }) => stateOfAccepted(change.event)],
      ["at", "timestamptz", ({ change }) => new Date(change.event.atMillis)]
    ],
    sql: (from) => `
      insert into withdrawal (
        withdrawal_id, user_id, rail, method, amount, fee, destination, reasons, state, step, created_at, updated_at, queued_at
      )
      select w.withdrawal_id, w.user_id, w.rail, w.method, w.amount, w.fee, w.destination,
        array(select jsonb_array_elements_text(w.reasons)), w.state, 2, w.at, w.at,
        case w.state when 'QUEUED' then w.at end
      from ${from}
      on conflict do nothing
      returning withdrawal_id, user_id, state, created_at`
  }),
  FlushPart.derived(
    "withdrawn_steps",
    `
      insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
      select w.withdrawal_id, s.step, s.from_state, s.to_state, w.user_id, w.created_at
      from withdrawn w
      cross join lateral (values (1, null, 'ACCEPTED'), (2, 'ACCEPTED', w.state)) as s (step, from_state, to_state)`
  ),
  FlushPart.make<StepOf<"WithdrawalReturned">>({
    name: "returned",
    includes: isStep("WithdrawalReturned"),
    columns: [
      ["withdrawal_id", "text", ({ change }) => change.event.withdrawalId],
      ["from_state", "text", ({ change }) => stateBeforeReturn(change.event.ending)],
      ["ending", "text", ({ change }) => change.event.ending],
      ["at", "timestamptz", ({ change }) => new Date(change.event.atMillis)]
    ],
    sql: (from) => `
      update withdrawal t set state = t.ending, step = t.step + 1, version = t.version + 1, updated_at = w.at
      from ${from}
      where t.withdrawal_id = w.withdrawal_id and t.state = w.from_state and t.ending = w.ending
      returning t.withdrawal_id, t.step, w.from_state, t.state, t.ended_by, w.at`
  }),
  FlushPart.derived(
    "returned_steps",
    `
      insert into withdrawal_step (withdrawal_id, step, from_state, to_state, actor, at)
      select withdrawal_id, step, from_state, state, ended_by, at from returned`
  ),
  FlushPart.make<StepOf<"Deposited" | "DepositReversed">>({
    name: "booked",
    includes: isStep("Deposited", "DepositReversed"),
    columns: [
      ["deposit_id", "text", ({ change }) => change.event.depositId],
      ["from_state", "text", ({ change }) => stepOf(change.event).from],
      ["to_state", "text", ({ change }) => stepOf(change.event).to],
      ["reason", "text", ({ change }) => (change.event._tag === "Deposited" ? "" : storable(change.event.reason))],
      ["at", "timestamptz", ({ change }) => new Date(change.event.atMillis)]
    ],
    sql: (from) => `
      update deposit t set state = w.to_state, step = t.step + 1, version = t.version + 1, updated_at = w.at,
        credited_at = coalesce(t.credited_at, w.at), reason = coalesce(nullif(w.reason, ''), t.reason)
      from ${from}
      where t.deposit_id = w.deposit_id and t.state = w.from_state
      returning t.deposit_id, t.step, w.from_state, t.state, t.network, w.at`
  }),
  FlushPart.derived(
    "booked_steps",
    `
      insert into deposit_step (deposit_id, step, from_state, to_state, actor, at)
      select deposit_id, step, from_state, state, 'rail/' || network, at from booked`
  )
]

const stepOf = ({ _tag }: Deposited | DepositReversed) => journaledStep(_tag === "Deposited" ? "Credited" : "Reversed")
