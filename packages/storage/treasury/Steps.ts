/** State transitions of deposits and withdrawals: their tables, and a compare-and-set function for both. */
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

/** Returns the actor of the state transitions that a rail itself causes. */
export const railActor = (rail: string): string => `rail/${rail}`

/** `decide` turns a command into changes, and `apply` returns the row after a change. */
export interface Machine<Row, Command, Change, Refusal> {
  readonly decide: (row: Row, command: Command, atMillis: number) => Result.Result<ReadonlyArray<Change>, Refusal>
  readonly apply: (row: Row, change: Change) => Row
}

/** Storage of the rows, in SQL or in memory; makes no decisions. */
export interface Store<Row, Change, Detail = undefined> {
  readonly read: (id: string) => Effect.Effect<Option.Option<Row>, DatabaseUnavailable>
  /**
   * Compare-and-set: stores `after` and the change's further rows if the stored version equals `before`'s version.
   * Returns false if the versions differ or a constraint of the change is violated.
   */
  readonly write: (
    before: Row,
    after: Row,
    change: Change,
    detail: Detail
  ) => Effect.Effect<boolean, DatabaseUnavailable>
}

/**
 * Returns a function that reads a row, decides the command, and stores the change by compare-and-set. If another
 * change was stored first, decides again on the newer row. If the write failed although the row is unchanged, a
 * constraint is violated, and the command is refused.
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

/** Each failed try means that another change to the row was stored first. */
const maxTries = 20

/** Returns the columns that a change has modified. */
export const changedColumns = <Row extends object>(before: Row, after: Row): Partial<Row> =>
  Object.fromEntries(
    Object.entries(after).filter(([column, value]) => value !== before[column as keyof Row])
  ) as Partial<Row>

/**
 * Returns common table expressions that insert the rows of each batch if `moved` has changed a row. Skips absent
 * batches.
 */
export const insertsIfMoved = (sql: SqlClient.SqlClient, batches: ReadonlyArray<Table.Batch | undefined>): Fragment =>
  sql.join(
    "",
    false
  )(
    batches
      .filter((batch) => batch !== undefined)
      .map(
        ({ insert, rows }, at) => sql`, ${sql.literal(`inserted_${at}`)} as (
        ${insert(0, rows)} where exists (select 1 from moved)
      )`
      )
  )
