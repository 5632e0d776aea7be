/** What no longer counts is announced where that is decided, and heard on every node. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, type Duration, Effect, Layer, Queue, Schedule, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { of, text } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

/**
 * A key or a session is good no longer, or what is known of it is to be asked anew. A client has no session any more.
 * What is known of a user's eligibility is to be asked anew. No token of a signing key is good. The keys that sign are
 * to be read anew, since the one that is named has changed.
 */
const revocationTable = Table.make("revocation", {
  kind: of("text", Schema.Literals(["key", "session", "client", "user", "signing_key", "signing_keys"])),
  subject: text
})
export type Revocation = Table.Row<typeof revocationTable>

const numbered = revocationTable.with({ number: { schema: Schema.String, expression: "revocation.number::text" } })
type Row = Table.Row<typeof numbered>
const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(numbered.schema))

const snapshots = Table.selection({ snapshot: { schema: Schema.String, expression: "pg_current_snapshot()::text" } })
/** The row is null when there is none that the last poll did not see. */
const polled = Table.selection({
  snapshot: { schema: Schema.String, expression: "snapshot::text" },
  row: { schema: Schema.NullOr(numbered.schema), expression: "to_json(announced)" }
})

type Observe = (revocation: Revocation) => void

/** No other process revokes anything, so nothing is revoked while the database cannot be read. */
export const RevokesAlone = Context.Reference<boolean>("@venue/storage/access/RevokesAlone", {
  defaultValue: () => false
})

/** Whoever has heard of nothing for longer adds no risk, and takes from memory of nobody that they are let in. */
export const trustedUnheardMillis = 3_000

/** Whoever has heard of nothing for longer does not know who may still be let in. */
export const maxUnheardMillis = 10_000

export class Revocations extends Context.Service<
  Revocations,
  {
    /** Said inside the transaction that makes it true, it is heard when that commits. */
    readonly announce: (revocation: Revocation) => Effect.Effect<void, DatabaseUnavailable>
    /** It is told of each at least once until the scope closes: at once as a rule, within a second in any case. */
    readonly watch: (observe: Observe) => Effect.Effect<void, never, Scope.Scope>
    /** So long ago it was last certain that all that had been revoked was told. */
    readonly unheardMillis: () => number
    /** It is told again and again for as long as that is more than `maxUnheardMillis`. */
    readonly whenUnheard: (observe: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@venue/storage/access/Revocations") {
  static readonly layer: Layer.Layer<Revocations, MigrationError | SqlError, PgClient.PgClient | SqlClient.SqlClient> =
    Layer.effect(
      Revocations,
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const clock = yield* Clock.Clock
        const isAlone = yield* RevokesAlone
        const { tell, watch } = audience<Revocation>()
        let readMillis = clock.currentTimeMillisUnsafe()
        const unheardMillis = () => (isAlone ? 0 : clock.currentTimeMillisUnsafe() - readMillis)
        /** These hold the numbers of the rows told since the last poll, and of those told before it. */
        let recent = new Set<string>()
        let older = new Set<string>()
        const [start] = yield* snapshots.all(sql`select ${snapshots.columns}`)
        let polledTo = start!.snapshot

        /** A notice holds the number of its row, so neither it nor the poll tells what the other told. */
        const hear = (row: Row) =>
          Effect.suspend(() => {
            if (recent.has(row.number) || older.has(row.number)) return Effect.void
            recent.add(row.number)
            return tell(row)
          })
        /**
         * Tells what was committed since the last poll: neither its time nor its number says when a row was. What a
         * restored database has from another server's transactions was told there.
         */
        const poll = Effect.gen(function* () {
          const askedMillis = clock.currentTimeMillisUnsafe()
          const rows = yield* polled.all(sql`
            select ${polled.columns}
            from (select pg_current_snapshot() as snapshot) as now
            left join lateral (
              select ${numbered.columns} from revocation
              where made_by >= pg_snapshot_xmin(${polledTo}::pg_snapshot)
                and not pg_visible_in_snapshot(made_by, ${polledTo}::pg_snapshot)
                and pg_visible_in_snapshot(made_by, snapshot)
            ) announced on true
            order by announced.number::bigint`)
          for (const { row } of rows) if (row !== null) yield* hear(row)
          polledTo = rows[0]!.snapshot
          older = recent
          recent = new Set()
          readMillis = askedMillis
        })
        /** After a pause of this process it polls before anything is made of that, so two looks in a row count. */
        const whenUnheard = (observe: () => void) =>
          Effect.suspend(() => {
            let wasUnheard = false
            const look = Effect.sync(() => {
              const isUnheard = unheardMillis() > maxUnheardMillis
              if (isUnheard && wasUnheard) observe()
              wasUnheard = isUnheard
            })
            return isAlone
              ? Effect.void
              : Effect.asVoid(Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery))))
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
        yield* again(GivenUp.afterByMachineClock(giveUpAfter)(poll), pollEvery, "revocations could not be read")

        return Revocations.of({
          watch,
          unheardMillis,
          whenUnheard,
          announce: Effect.fn("Revocations.announce")(
            (revocation: Revocation) => sql`
            with made as (
              insert into revocation ${revocationTable.values(revocation)} returning ${numbered.columns}
            ), pruned as (
              delete from revocation where number in (
                select number from revocation where revoked_at < clock_timestamp() - ${keptFor}::interval
                order by revoked_at limit ${maxPruned} for update skip locked
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
    const { tell, watch } = audience<Revocation>()
    return Revocations.of({ watch, announce: tell, unheardMillis: () => 0, whenUnheard: () => Effect.void })
  })
}

const channel = "revocation"
const pollEvery = "500 millis"
/** A poll that hangs so long is given up, and the next takes another connection. */
const giveUpAfter = "2 seconds"
const lookEvery = "500 millis"
/**
 * It is longer than a node without its database is good for anything. Each adds one row and takes away a few older
 * ones.
 */
const keptFor = "1 day"
const maxPruned = 4

/** Whatever goes wrong is logged, and no reason to stop: who hears of nothing lets in whoever was shut out. */
const again = <E>(work: Effect.Effect<void, E>, every: Duration.Input, trouble: string) =>
  work.pipe(
    Effect.catchCause((cause) => DatabaseOutage.report(cause, Effect.logWarning(trouble, cause))),
    Effect.repeat(Schedule.spaced(every)),
    Effect.forkScoped
  )

const audience = <Told>() => {
  const observers = new Set<(told: Told) => void>()
  return {
    /** An observer that throws is a fault of its own: the others hear all the same. */
    tell: (told: Told) =>
      Effect.forEach(
        observers,
        (observe) =>
          Effect.catchDefect(
            Effect.sync(() => observe(told)),
            (defect) => Effect.logError("an observer failed at a revocation", defect)
          ),
        { discard: true }
      ),
    watch: (observe: (told: Told) => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}
