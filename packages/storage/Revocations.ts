/** What no longer counts: announced where it is decided, heard on every node. */
import { PgClient } from "@effect/sql-pg"
import { Context, type Duration, Effect, Layer, Queue, Schedule, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { type DatabaseUnavailable, orUnavailable } from "./DatabaseUnavailable.ts"
import * as Migrations from "./Migrations.ts"

/**
 * Of a key or a session: it is good no longer, or what is known of it is to be asked anew. Of a client: all its sessions
 * are over. Of a user: what is known of their standing is to be asked anew.
 */
export const Revocation = Schema.Struct({
  kind: Schema.Literals(["key", "session", "client", "user"]),
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
>()("@venue/storage/Revocations") {
  static readonly layer: Layer.Layer<Revocations, MigrationError | SqlError, PgClient.PgClient | SqlClient.SqlClient> =
    Layer.effect(
      Revocations,
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { tell, watch } = audience()
        const seen = new Map<string, number>()
        let polledTo = 0

        /** A notice holds the number of its row, so the poll tells nothing twice that the notice told. */
        const hear = (row: Row) =>
          Effect.suspend(() => {
            if (seen.has(row.number)) return Effect.void
            seen.set(row.number, row.at)
            return tell(row)
          })
        const poll = Effect.gen(function* () {
          const rows = yield* sql<Row>`
          select number::text as number, kind, subject, extract(epoch from revoked_at)::float8 as at
          from revocation where revoked_at > to_timestamp(${polledTo - overlapSeconds}) order by number`
          for (const row of rows) {
            yield* hear(row)
            polledTo = Math.max(polledTo, row.at)
          }
          for (const [number, at] of seen) if (at < polledTo - 2 * overlapSeconds) seen.delete(number)
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

        const [start] = yield* sql<{
          readonly now: number
        }>`select extract(epoch from clock_timestamp())::float8 as now`
        polledTo = start!.now
        yield* again(listen, "1 second", "revocations are not heard of at once")
        yield* again(poll, pollEvery, "revocations could not be read")

        return Revocations.of({
          watch,
          announce: Effect.fn("Revocations.announce")(
            ({ kind, subject }: Revocation) => sql`
            with made as (
              insert into revocation (kind, subject) values (${kind}, ${subject})
              returning number::text as number, kind, subject, extract(epoch from revoked_at)::float8 as at
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
/** How much later than its time of writing a row may become visible to the poll. */
const overlapSeconds = 30
/** Longer than a node without its database is good for anything. Each adds one row and takes away a few older ones. */
const keptFor = "1 day"
const maxSwept = 4

const Row = Schema.Struct({ ...Revocation.fields, number: Schema.String, at: Schema.Finite })
type Row = typeof Row.Type
const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(Row))

/** Whatever goes wrong is logged, and no reason to stop: who hears of nothing lets in whoever was shut out. */
const again = <E>(work: Effect.Effect<void, E>, every: Duration.Input, trouble: string) =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(trouble, cause)),
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
