/** What no longer counts: announced where it is decided, heard on every node. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue, Schedule, Schema, type Scope } from "effect"
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
        const hear = (row: Row) => {
          if (seen.has(row.number)) return
          seen.set(row.number, row.at)
          tell(row)
        }
        const poll = Effect.gen(function* () {
          const rows = yield* sql<Row>`
          select number::text as number, kind, subject, extract(epoch from revoked_at)::float8 as at
          from revocation where revoked_at > to_timestamp(${polledTo - overlapSeconds}) order by number`
          for (const row of rows) {
            hear(row)
            polledTo = Math.max(polledTo, row.at)
          }
          for (const [number, at] of seen) if (at < polledTo - 2 * overlapSeconds) seen.delete(number)
        })
        const listen = Effect.scoped(
          Effect.gen(function* () {
            const notices = yield* sql.listen(channel)
            while (true) {
              const { payload } = yield* Queue.take(notices)
              const row = yield* decodeRow(payload)
              hear(row)
            }
          })
        )

        const [start] = yield* sql<{
          readonly now: number
        }>`select extract(epoch from clock_timestamp())::float8 as now`
        polledTo = start!.now
        yield* Effect.forkScoped(
          listen.pipe(
            Effect.tapError((error) => Effect.logWarning("revocations are not heard of at once", error)),
            Effect.ignore,
            Effect.repeat(Schedule.spaced("1 second"))
          )
        )
        yield* Effect.forkScoped(
          poll.pipe(
            Effect.tapError((error) => Effect.logWarning("revocations could not be read", error)),
            Effect.ignore,
            Effect.repeat(Schedule.spaced(pollEvery))
          )
        )

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
    return Revocations.of({ watch, announce: (revocation) => Effect.sync(() => tell(revocation)) })
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

const audience = () => {
  const observers = new Set<Observe>()
  return {
    tell: (revocation: Revocation) => {
      for (const observe of observers) observe(revocation)
    },
    watch: (observe: Observe) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}
