/** Sweeps: numbered transfers from deposit addresses to the account that pays withdrawals. */
import { Network } from "@venue/domain/Rail"
import { integer, numeric, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

/** A signed transaction, stored before it is sent; unencrypted, because it can only pay the venue's account. */
const Attempt = Schema.Struct({ reference: Schema.String, bytes: Schema.String, signedAtMillis: Schema.Number })
export type SweepAttempt = typeof Attempt.Type

const sweepTable = Table.make("sweep", {
  network: of("text", Network),
  /** Number of the sweep, which is the transaction nonce on networks that have nonces. */
  sequence: integer,
  addressIndex: integer,
  address: text,
  amount: numeric,
  attempts: of("jsonb", Schema.Array(Attempt)),
  state: of("text", Schema.Literals(["OPEN", "DONE", "FAILED"])),
  createdAtMillis: timestamptz
})
export type Sweep = Table.Row<typeof sweepTable>

const last = Table.selection({ sequence: { schema: Schema.Number, expression: "coalesce(max(sequence), -1)" } })

/** Maximum number of open sweeps per network. */
export const maxOpenSweeps = 100

type Key = Pick<Sweep, "network" | "sequence">

export class Sweeps extends Context.Service<
  Sweeps,
  {
    /** Returns a network's open sweeps, ordered by number. */
    readonly open: (network: Network) => Effect.Effect<ReadonlyArray<Sweep>, DatabaseUnavailable>
    /** Returns the highest number in use, or -1 before the first sweep. */
    readonly lastSequence: (network: Network) => Effect.Effect<number, DatabaseUnavailable>
    /** Stores a new sweep; returns false if its number is in use or its address already has an open sweep. */
    readonly begin: (sweep: Omit<Sweep, "state" | "createdAtMillis">) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Adds an attempt; returns false if the number of stored attempts is not `after`, or the sweep has ended. */
    readonly addAttempt: (key: Key, after: number, attempt: SweepAttempt) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Ends a sweep; returns false if it has already ended. */
    readonly end: (key: Key, state: "DONE" | "FAILED") => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/Sweeps") {
  static readonly layer: Layer.Layer<Sweeps, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Sweeps,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { columns } = sweepTable
      return Sweeps.of({
        open: Effect.fn("Sweeps.open")(
          (network: Network) =>
            sweepTable.all(sql`
              select ${columns} from sweep where network = ${network} and state = 'OPEN' order by sequence`),
          orUnavailable
        ),
        lastSequence: Effect.fn("Sweeps.lastSequence")(function* (network: Network) {
          const [row] = yield* last.all(sql`select ${last.columns} from sweep where network = ${network}`)
          return row!.sequence
        }, orUnavailable),
        begin: Effect.fn("Sweeps.begin")(function* (sweep) {
          const createdAtMillis = yield* Clock.currentTimeMillis
          const made = yield* sweepTable.all(sql`
            insert into sweep ${sweepTable.values({ ...sweep, state: "OPEN", createdAtMillis })}
            on conflict do nothing returning ${columns}`)
          return made.length === 1
        }, orUnavailable),
        addAttempt: Effect.fn("Sweeps.addAttempt")(function* ({ network, sequence }, after, attempt) {
          const changed = yield* sweepTable.all(sql`
            update sweep set attempts = attempts || ${JSON.stringify([attempt])}::jsonb
            where network = ${network} and sequence = ${sequence} and state = 'OPEN'
              and jsonb_array_length(attempts) = ${after}
            returning ${columns}`)
          return changed.length === 1
        }, orUnavailable),
        end: Effect.fn("Sweeps.end")(function* ({ network, sequence }, state) {
          const changed = yield* sweepTable.all(sql`
            update sweep set state = ${state}
            where network = ${network} and sequence = ${sequence} and state = 'OPEN' returning ${columns}`)
          return changed.length === 1
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Sweeps> = Layer.effect(
    Sweeps,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const kept = table<Sweep>()
      const keyOf = ({ network, sequence }: Key) => `${network} ${sequence}`
      const of = (network: Network) =>
        kept
          .rows()
          .filter((row) => row.network === network)
          .toSorted((a, b) => a.sequence - b.sequence)
      const change = (key: Key, changed: (row: Sweep) => Sweep | undefined) =>
        transaction(
          Effect.sync(() => {
            const row = kept.get(keyOf(key))
            const next = row?.state === "OPEN" ? changed(row) : undefined
            if (next !== undefined) kept.set(keyOf(key), next)
            return next !== undefined
          })
        )
      return Sweeps.of({
        open: (network) => Effect.sync(() => of(network).filter(({ state }) => state === "OPEN")),
        lastSequence: (network) => Effect.sync(() => of(network).at(-1)?.sequence ?? -1),
        begin: Effect.fnUntraced(function* (sweep) {
          const isTaken = of(sweep.network).some(
            (row) => row.sequence === sweep.sequence || (row.state === "OPEN" && row.address === sweep.address)
          )
          if (isTaken) return false
          kept.set(keyOf(sweep), { ...sweep, state: "OPEN", createdAtMillis: yield* Clock.currentTimeMillis })
          return true
        }, transaction),
        addAttempt: (key, after, attempt) =>
          change(key, (row) =>
            row.attempts.length === after ? { ...row, attempts: [...row.attempts, attempt] } : undefined
          ),
        end: (key, state) => change(key, (row) => ({ ...row, state }))
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
