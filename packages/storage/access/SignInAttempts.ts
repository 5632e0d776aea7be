/** Sign-ins and failed sign-ins per network in the last 15 minutes, counted across all nodes. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { bytea, integer, timestamptz } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { digestOf } from "@venue/postgres/SecretHash"
import * as Table from "@venue/postgres/Table"

const attemptTable = Table.make("sign_in_attempt", {
  /** Derived from the network, to bound the number of rows. The latest network in a slot replaces the earlier one. */
  slot: integer,
  networkHash: bytea,
  /** Time of the first counted attempt. */
  sinceMillis: timestamptz,
  signIns: integer,
  failures: integer
})
type Row = Table.Row<typeof attemptTable>
export type Attempts = Pick<Row, "signIns" | "failures">

const counted = attemptTable.pick("signIns", "failures")

export class SignInAttempts extends Context.Service<
  SignInAttempts,
  {
    /** Adds to a network's counts and returns the new counts. The counts restart 15 minutes after the first attempt. */
    readonly count: (network: string, more: Attempts) => Effect.Effect<Attempts, DatabaseUnavailable>
  }
>()("@venue/storage/access/SignInAttempts") {
  static readonly layer: Layer.Layer<SignInAttempts, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    SignInAttempts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.forkScoped(housekeeping(sql))
      return SignInAttempts.of({
        count: Effect.fn("SignInAttempts.count")(function* (network: string, more: Attempts) {
          const row = rowOf(network, more, yield* Clock.currentTimeMillis)
          const goesOn = sql`(sign_in_attempt.network_hash = excluded.network_hash
            and sign_in_attempt.since > excluded.since - ${window}::interval)`
          const [now] = yield* counted.all(sql`
            insert into sign_in_attempt ${attemptTable.values(row)} on conflict (slot) do update set
              network_hash = excluded.network_hash,
              since = case when ${goesOn} then sign_in_attempt.since else excluded.since end,
              sign_ins = case when ${goesOn} then sign_in_attempt.sign_ins else 0 end + excluded.sign_ins,
              failures = case when ${goesOn} then sign_in_attempt.failures else 0 end + excluded.failures
            returning ${counted.columns}`)
          return now!
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<SignInAttempts> = Layer.effect(
    SignInAttempts,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const rows = table<Row>()
      return SignInAttempts.of({
        count: Effect.fnUntraced(function* (network: string, more: Attempts) {
          const row = rowOf(network, more, yield* Clock.currentTimeMillis)
          const before = rows.get(`${row.slot}`)
          const goesOn =
            before !== undefined &&
            Buffer.compare(before.networkHash, row.networkHash) === 0 &&
            before.sinceMillis > row.sinceMillis - windowMillis
          const now = goesOn
            ? {
                ...before,
                signIns: before.signIns + row.signIns,
                failures: before.failures + row.failures
              }
            : row
          rows.set(`${row.slot}`, now)
          return now
        }, transaction)
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const windowMillis = 15 * 60 * 1_000
const window = "15 minutes"

/** Stores a hash, so that the database holds no IP address. */
const rowOf = (network: string, more: Attempts, sinceMillis: number): Row => {
  const networkHash = digestOf(network)
  return { slot: networkHash.readUInt16BE(), networkHash, sinceMillis, ...more }
}

/** Prunes expired rows. Every node does this and skips rows that another node has locked. */
const housekeeping = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* Effect.sleep("1 minute")
    const now = new Date(yield* Clock.currentTimeMillis)
    yield* sql`
      delete from sign_in_attempt where slot in (
        select slot from sign_in_attempt where since < ${now}::timestamptz - ${window}::interval
        order by since limit ${maxPruned} for update skip locked
      )`
  }).pipe(
    Effect.catchCause((cause) =>
      DatabaseOutage.report(cause, Effect.logWarning("old sign-in attempts could not be pruned", cause))
    ),
    Effect.forever
  )

const maxPruned = 5_000
