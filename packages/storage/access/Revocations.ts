/** What no longer counts: announced where it is decided, heard on every node. */
import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer, Queue, Schedule, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Migrations from "@venue/postgres/Migrations"

/**
 * Of a key or a session: it is good no longer, or what is known of it is to be asked anew. Of a client: all its sessions
 * are over. Of a user: what is known of their standing is to be asked anew. Of a signing key: no token of it is good.
 */
export const Revocation = Schema.Struct({
  kind: Schema.Literals(["key", "session", "client", "user", "signing_key"]),
  subject: Schema.String
})
export type Revocation = typeof Revocation.Type

type Observe = (revocation: Revocation) => void

export class Revocations extends Context.Service<
  Revocations,
  {
    /** Said inside the transaction that makes it true, it is heard when that commits. */
    readonly announce: (revocation: Revocation) => Effect.Effect<void, DatabaseUnavailable>
    /** Told of each at least once until the scope closes: at once as a rule, within a second in any case. */
    readonly watch: (observe: Observe) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@venue/storage/access/Revocations") {
  static readonly layer: Layer.Layer<Revocations, MigrationError | SqlError, PgClient.PgClient | SqlClient.SqlClient> =
    Layer.effect(
      Revocations,
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { tell, watch } = audience()
        /** Numbers of the rows told since the last poll, and of those told before it. */
        let recent = new Set<string>()
        let older = new Set<string>()
        const [start] = yield* sql<{ readonly snapshot: string }>`select pg_current_snapshot()::text as snapshot`
        let polledTo = start!.snapshot

        /** A notice holds the number of its row, so neither it nor the poll tells what the other told. */
        const hear = (row: Row) =>
          Effect.suspend(() => {
            if (recent.has(row.number) || older.has(row.number)) return Effect.void
            recent.add(row.number)
            return tell(row)
          })
        /**
         * What was committed since the last one: neither its time nor its number says when a row was. What a restored
         * database has from another server's transactions was told there.
         */
        const poll = Effect.gen(function* () {
          const rows = yield* sql<{ readonly snapshot: string } & (Row | { readonly number: null })>`
            select snapshot::text as snapshot, number::text as number, kind, subject
            from (select pg_current_snapshot() as snapshot) as now
            left join revocation on made_by >= pg_snapshot_xmin(${polledTo}::pg_snapshot)
              and not pg_visible_in_snapshot(made_by, ${polledTo}::pg_snapshot)
              and pg_visible_in_snapshot(made_by, snapshot)
            order by revocation.number`
          for (const row of rows) if (row.number !== null) yield* hear(row)
          polledTo = rows[0]!.snapshot
          older = recent
          recent = new Set()
        })
        const listen = Effect.scoped(
          Effect.gen(function* () {
            const notices = yield* sql.listen(channel)
            while (true) {
              const { payload } = yield* Queue.take(notices)
              yield* hear(yield* decodeRow(payload))
            }
          })
        )

        yield* again(listen, "1 second", "revocations are not heard of at once")
        yield* again(poll, pollEvery, "revocations could not be read")

        return Revocations.of({
          watch,
          announce: Effect.fn("Revocations.announce")(
            ({ kind, subject }: Revocation) => sql`
            with made as (
              insert into revocation (kind, subject) values (${kind}, ${subject})
              returning number::text as number, kind, subject
            ), swept as (
              delete from revocation where number in (
                select number from revocation where revoked_at < clock_timestamp() - ${keptFor}::interval
                order by revoked_at limit ${maxSwept} for update skip locked
              )
            )
            select pg_notify(${channel}, row_to_json(made)::text) from made`,
            Effect.asVoid,
            orUnavailable
          )
        })
      })
    ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Revocations> = Layer.sync(Revocations, () => {
    const { tell, watch } = audience()
    return Revocations.of({ watch, announce: tell })
  })
}

const channel = "revocation"
const pollEvery = "500 millis"
/** Longer than a node without its database is good for anything. Each adds one row and takes away a few older ones. */
const keptFor = "1 day"
const maxSwept = 4

const Row = Schema.Struct({ ...Revocation.fields, number: Schema.String })
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(Row))

/** Whatever goes wrong is logged, and no reason to stop: who hears of nothing lets in whoever was shut out. */
const again = <E>(work: Effect.Effect<void, E>, every: Duration.Input, trouble: string) =>
  work.pipe(
    Effect.catchCause((cause) => DatabaseOutage.report(cause, Effect.logWarning(trouble, cause))),
    Effect.repeat(Schedule.spaced(every)),
    Effect.forkScoped
  )

const audience = () => {
  const observers = new Set<Observe>()
  return {
    /** An observer that throws is a fault of its own: the others hear all the same. */
    tell: (revocation: Revocation) =>
      Effect.forEach(
        observers,
        (observe) =>
          Effect.catchDefect(
            Effect.sync(() => observe(revocation)),
            (defect) => Effect.logError("an observer failed at a revocation", defect)
          ),
        { discard: true }
      ),
    watch: (observe: Observe) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}
