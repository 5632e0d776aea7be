/** Revocations and other cache invalidations, announced in the changing transaction and published to every node. */
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
 * Cached data that nodes must drop: a revoked or changed key, an ended or changed session, all of a client's
 * sessions, a user's eligibility, all tokens signed with a removed signing key, or the list of signing keys after the
 * named key changed.
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
/**
 * `row` is null if there is no new row since the last poll. `snapshot` is the text of a `pg_snapshot`, which
 * determines the transactions that this poll could not see.
 */
const polled = Table.selection({
  snapshot: { schema: Schema.String, expression: "snapshot::text" },
  row: { schema: Schema.NullOr(numbered.schema), expression: "to_json(announced)" }
})

type Observe = (revocation: Revocation) => void

/**
 * True for a single-process venue. No other process can revoke credentials, so no revocation can be missed during a
 * database outage.
 */
export const RevokesAlone = Context.Reference<boolean>("@venue/storage/access/RevokesAlone", {
  defaultValue: () => false
})

/** Delay above which a node rejects commands that add risk, and authenticates callers without its cache. */
export const trustedDelayMillis = 3_000

/** Delay above which a node rejects all callers. */
export const maxDelayMillis = 10_000

export class Revocations extends Context.Service<
  Revocations,
  {
    /** Announces a revocation; within a transaction, the announcement is sent on commit. */
    readonly announce: (revocation: Revocation) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Until the scope closes, calls `observe` at least once for each revocation, usually at once and at most 1 s
     * late.
     */
    readonly watch: (observe: Observe) => Effect.Effect<void, never, Scope.Scope>
    /** Gives later announcements numbers above `number`. Without effect in memory, where they have no numbers. */
    readonly numberAbove: (number: number) => Effect.Effect<void, DatabaseUnavailable>
    /** Milliseconds since this node last read all revocations. */
    readonly delayMillis: () => number
    /** Calls `observe` every 500 ms while `delayMillis` exceeds `maxDelayMillis`. */
    readonly whenDelayed: (observe: () => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@venue/storage/access/Revocations") {
  static readonly layer: Layer.Layer<Revocations, MigrationError | SqlError, PgClient.PgClient | SqlClient.SqlClient> =
    Layer.effect(
      Revocations,
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const clock = yield* Clock.Clock
        const isAlone = yield* RevokesAlone
        const { publish, watch } = makeObservers<Revocation>()
        let readMillis = clock.currentTimeMillisUnsafe()
        const delayMillis = () => (isAlone ? 0 : clock.currentTimeMillisUnsafe() - readMillis)
        /** Row numbers published since the last poll (`recent`) and between the two most recent polls (`older`). */
        let recent = new Set<string>()
        let older = new Set<string>()
        const [start] = yield* snapshots.all(sql`select ${snapshots.columns}`)
        let polledTo = start!.snapshot

        /** Publishes a row once, although both the notification and the poll deliver it. */
        const receive = (row: Row) =>
          Effect.suspend(() => {
            if (recent.has(row.number) || older.has(row.number)) return Effect.void
            recent.add(row.number)
            return publish(row)
          })
        /**
         * Publishes the rows committed since the last poll. Compares transaction snapshots, because neither times nor
         * row numbers follow the order of commits. A restored database also contains rows of another server's
         * transactions, which that server has already published.
         */
        const poll = Effect.gen(function* () {
          const startMillis = clock.currentTimeMillisUnsafe()
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
          for (const { row } of rows) if (row !== null) yield* receive(row)
          polledTo = rows[0]!.snapshot
          older = recent
          recent = new Set()
          readMillis = startMillis
        })
        /** Requires two consecutive checks above the limit, so that a paused process can poll first. */
        const whenDelayed = (observe: () => void) =>
          Effect.suspend(() => {
            let wasDelayed = false
            const check = Effect.sync(() => {
              const isDelayed = delayMillis() > maxDelayMillis
              if (isDelayed && wasDelayed) observe()
              wasDelayed = isDelayed
            })
            return isAlone
              ? Effect.void
              : Effect.asVoid(Effect.forkScoped(Effect.repeat(check, Schedule.spaced(checkEvery))))
          })
        const listen = Effect.scoped(
          Effect.gen(function* () {
            const notices = yield* sql.listen(channel)
            while (true) {
              const { payload } = yield* Queue.take(notices)
              yield* receive(yield* decodeRow(payload))
            }
          })
        )

        yield* again(listen, "1 second", "revocation notices are interrupted; polling continues")
        yield* again(GivenUp.afterByMachineClock(giveUpAfter)(poll), pollEvery, "revocations could not be polled")

        return Revocations.of({
          watch,
          delayMillis,
          whenDelayed,
          numberAbove: numberAboveOn(sql),
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
    const { publish, watch } = makeObservers<Revocation>()
    return Revocations.of({
      watch,
      announce: publish,
      numberAbove: () => Effect.void,
      delayMillis: () => 0,
      whenDelayed: () => Effect.void
    })
  })
}

const numberAboveOn = (sql: SqlClient.SqlClient) =>
  Effect.fn("Revocations.numberAbove")(
    function* (number: number) {
      // Announcements wait, because a number that one of them takes meanwhile could be given again.
      yield* sql`lock table revocation in share row exclusive mode`
      yield* sql`
        select setval(sequence, ${BigInt(number)})
        from (select pg_get_serial_sequence('revocation', 'number')::regclass as sequence) s
        where ${BigInt(number)} > coalesce(pg_sequence_last_value(sequence), 0)`
    },
    sql.withTransaction,
    orUnavailable
  )

const channel = "revocation"
const pollEvery = "500 millis"
/** Time limit of a poll. After a timeout, the next poll uses another connection. */
const giveUpAfter = "2 seconds"
const checkEvery = "500 millis"
/**
 * Time for which a revocation is stored, longer than the time for which a node accepts callers without its database.
 * Each new row deletes at most four old ones.
 */
const keptFor = "1 day"
const maxPruned = 4

/** Logs every failure and retries, because a node that stopped reading would accept revoked callers. */
const again = <E>(work: Effect.Effect<void, E>, every: Duration.Input, trouble: string) =>
  work.pipe(
    Effect.catchCause((cause) => DatabaseOutage.report(cause, Effect.logWarning(trouble, cause))),
    Effect.repeat(Schedule.spaced(every)),
    Effect.forkScoped
  )

const makeObservers = <A>() => {
  const observers = new Set<(value: A) => void>()
  return {
    /** Calls all observers, even if one throws. */
    publish: (value: A) =>
      Effect.forEach(
        observers,
        (observe) =>
          Effect.catchDefect(
            Effect.sync(() => observe(value)),
            (defect) => Effect.logError("an observer of revocations failed", defect)
          ),
        { discard: true }
      ),
    watch: (observe: (value: A) => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}
