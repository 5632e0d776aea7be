/** Changes to deposits: the domain's state machine applied to a store, and the store's Postgres implementation. */
import { UnknownDeposit } from "@venue/domain/Deposit"
import { apply, decide, type DepositChange, DepositStepRefused } from "@venue/domain/DepositSteps"
import { storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Deposit, deposits, type DepositsShape, type Detected, detected } from "./DepositTable.ts"
import * as OwnMoney from "./OwnMoney.ts"
import { changedColumns, changing, depositSteps, insertsIfMoved, railActor, type Store } from "./Steps.ts"
import * as Suspense from "./Suspense.ts"

/** `insert` stores a newly detected deposit and its first state transition; it leaves an existing row unchanged. */
export interface DepositStore extends Store<Deposit, DepositChange> {
  readonly insert: (deposit: Deposit) => ReturnType<DepositsShape["detect"]>
}

export const changes = ({ insert, read, write }: DepositStore): Pick<DepositsShape, "change" | "detect"> => {
  const change = changing(
    { apply, decide },
    { read, write },
    {
      unknown: (depositId) => new UnknownDeposit({ depositId }),
      constraint: ({ depositId, state }, { _tag }) => new DepositStepRefused({ depositId, command: _tag, state })
    }
  )
  return {
    change: Effect.fn("Deposits.change")((depositId, command) => change(depositId, command, undefined)),
    detect: Effect.fn("Deposits.detect")(function* ({ block, ...transfer }: Detected) {
      const deposit = detected(transfer, block, yield* Clock.currentTimeMillis)
      const again = change(deposit.depositId, { _tag: "Detect", block }, undefined)
      yield* again.pipe(
        Effect.asVoid,
        Effect.catchTags({
          UnknownDeposit: () => insert(deposit),
          // The state machine never refuses to detect a deposit again.
          DepositStepRefused: Effect.die
        })
      )
    })
  }
}

/** Returns the row for a change's state transition, or undefined if the state is unchanged. */
export const stepOf = (before: Deposit, after: Deposit, { atMillis }: DepositChange) =>
  after.step === before.step
    ? undefined
    : {
        depositId: after.depositId,
        fromState: before.state,
        toState: after.state,
        step: after.step,
        actor: railActor(after.rail),
        atMillis
      }

/** Returns a deposit's first state transition. */
export const firstStep = ({ depositId, detectedAtMillis, rail, state, step }: Deposit) => ({
  depositId,
  fromState: null,
  toState: state,
  step,
  actor: railActor(rail),
  atMillis: detectedAtMillis
})

/** Whether a change moves the deposit out of the suspense account. */
export const releasesSuspense = ({ _tag }: DepositChange): boolean =>
  _tag === "Dropped" || _tag === "Assigned" || _tag === "TakenAsOwn"

/** Returns the ledger entries that a change adds for the venue's own money, or undefined if it adds none. */
export const entriesOf = (after: Deposit, change: DepositChange) =>
  change._tag === "TakenAsOwn" ? OwnMoney.ofDeposit(after, change.reason, change.atMillis) : undefined

export const insert =
  (sql: SqlClient.SqlClient): DepositStore["insert"] =>
  (deposit) => {
    const { batch } = Suspense.held(deposit, deposit.detectedAtMillis)
    return sql`
      with added as (
        insert into deposit ${deposits.values(deposit)} on conflict do nothing returning 1
      ),
      held as (
        ${batch.insert(0, batch.rows)} where ${Suspense.isSuspended(deposit)}::boolean and exists (select 1 from added)
      )
      ${depositSteps.batch([firstStep(deposit)]).insert(0, 1)} where exists (select 1 from added)`.pipe(
      Effect.asVoid,
      orUnavailable
    )
  }

/** Writes each change in a single statement. */
export const write =
  (sql: SqlClient.SqlClient): DepositStore["write"] =>
  (before, after, change) => {
    const step = stepOf(before, after, change)
    const entries = entriesOf(after, change)?.batch
    const rows = [step && depositSteps.batch([step]), entries]
    const released = releasesSuspense(change) ? sql`, ${Suspense.released(sql, change.atMillis)}` : sql.literal("")
    return sql`
      with moved as (
        update deposit set ${deposits.set(changedColumns(before, after))}
        where deposit_id = ${storable(before.depositId)} and version = ${before.version}
        returning deposit_id
      )${released}${insertsIfMoved(sql, rows)}
      select 1 from moved`.pipe(
      Effect.map(({ length }) => length > 0),
      orUnavailable
    )
  }
