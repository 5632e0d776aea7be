/** Tables of the steps of deposits and withdrawals, and the one way in which a row of either changes. */
import { DepositState } from "@venue/domain/Deposit"
import { WithdrawalState } from "@venue/domain/Withdrawal"
import { integer, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Table from "@venue/postgres/Table"
import { Clock, Effect, type Option, type Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

const step = { step: integer, actor: text, atMillis: timestamptz }

export const withdrawalSteps = Table.make("withdrawal_step", {
  withdrawalId: text,
  fromState: orNull(of("text", WithdrawalState)),
  toState: of("text", WithdrawalState),
  ...step
})
export type WithdrawalStep = Table.Row<typeof withdrawalSteps>

export const depositSteps = Table.make("deposit_step", {
  depositId: text,
  fromState: orNull(of("text", DepositState)),
  toState: of("text", DepositState),
  ...step
})
export type DepositStep = Table.Row<typeof depositSteps>

/** Returns the actor of the steps that a rail takes itself. */
export const railActor = (rail: string): string => `rail/${rail}`

/** Decisions about a row, and the row after a recorded change. */
export interface Machine<Row, Command, Change, Refusal> {
  readonly decide: (row: Row, command: Command, atMillis: number) => Result.Result<ReadonlyArray<Change>, Refusal>
  readonly apply: (row: Row, change: Change) => Row
}

/** Storage of the rows, in SQL or in memory: it decides nothing. */
export interface Store<Row, Change, Detail = undefined> {
  readonly read: (id: string) => Effect.Effect<Option.Option<Row>, DatabaseUnavailable>
  /**
   * Compare-and-set: stores `after`, and what belongs to the change, if the stored version is still that of `before`. Returns
   * false if the version differs or a constraint of the change does not hold.
   */
  readonly write: (
    before: Row,
    after: Row,
    change: Change,
    detail: Detail
  ) => Effect.Effect<boolean, DatabaseUnavailable>
}

/**
 * Returns the function that changes a row: reads it, decides the command, and stores the change by compare-and-set. After a
 * lost race it decides again on the newer row; a failed write of an unchanged row is a violated constraint, and is refused.
 */
export const changing =
  <Row extends { readonly version: number }, Command, Change, Refusal, Unknown, Detail = undefined>(
    { apply, decide }: Machine<Row, Command, Change, Refusal>,
    { read, write }: Store<Row, Change, Detail>,
    refusals: {
      readonly unknown: (id: string) => Unknown
      readonly constraint: (row: Row, command: Command) => Refusal
    }
  ) =>
  (
    id: string,
    command: Command,
    detail: Detail
  ): Effect.Effect<ReadonlyArray<Change>, Refusal | Unknown | DatabaseUnavailable> =>
    Effect.gen(function* () {
      const known = Effect.flatMap(
        read(id),
        Effect.fromOption(() => refusals.unknown(id))
      )
      let row = yield* known
      for (let tries = 0; tries < maxTries; tries += 1) {
        const changes = yield* Effect.fromResult(decide(row, command, yield* Clock.currentTimeMillis))
        const [change] = changes
        if (change === undefined || (yield* write(row, apply(row, change), change, detail))) return changes
        const newer = yield* known
        if (newer.version === row.version) return yield* Effect.fail(refusals.constraint(row, command))
        row = newer
      }
      return yield* new DatabaseUnavailable({ cause: `row ${id} changed ${maxTries} times before a change was stored` })
    })

/** Every try lost means that another change of the row was stored. */
const maxTries = 20

/** Returns the columns of a row that a change sets. */
export const changedColumns = <Row extends object>(before: Row, after: Row): Partial<Row> =>
  Object.fromEntries(
    Object.entries(after).filter(([column, value]) => value !== before[column as keyof Row])
  ) as Partial<Row>

/** Returns the parts of a statement that insert rows if its part `moved` has changed a row. */
export const insertsIfMoved = (sql: SqlClient.SqlClient, batches: ReadonlyArray<Table.Batch>): Fragment =>
  sql.join(
    "",
    false
  )(
    batches.map(
      ({ insert, rows }, at) => sql`, ${sql.literal(`inserted_${at}`)} as (
        ${insert(0, rows)} where exists (select 1 from moved)
      )`
    )
  )
