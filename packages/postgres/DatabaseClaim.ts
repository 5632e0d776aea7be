/** That a database is ours: a venue of one process has it alone, and nodes share it with each other. */
import { Context, Deferred, Effect, Fiber, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import * as GivenUp from "./GivenUp.ts"

const Wanted = Schema.Literals(["alone", "shared"])
export type Wanted = typeof Wanted.Type

/**
 * Somebody else serves this database who cannot share it: a venue of one process takes the journals of any other for its
 * own, and they would be taken back for ever.
 */
export class DatabaseTaken extends Schema.TaggedError<DatabaseTaken>()("DatabaseTaken", { wanted: Wanted }) {
  override get message(): string {
    return this.wanted === "shared"
      ? "a venue of one process is running on this database: stop it before nodes are started"
      : "another venue is running on this database"
  }
}

export class DatabaseClaim extends Context.Service<
  DatabaseClaim,
  {
    /** Fails once somebody else has taken the database while it was away: whoever had it has to end. */
    readonly lost: Effect.Effect<never, DatabaseTaken>
  }
>()("@venue/postgres/DatabaseClaim") {}

/**
 * The lock is a session's: it is taken again when the database has been away, or this connection to it, for as long as
 * this process lives and nobody else has taken it.
 */
export const hold = Effect.fnUntraced(function* (wanted: Wanted) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void, SqlError | DatabaseTaken>()
  const lost = yield* Deferred.make<never, DatabaseTaken>()
  const take = taking(wanted)
  /** Looks since the database answered last: after a pause of this process there is one, however long it was. */
  let looks = 0

  const session = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      if (!(yield* take(connection))) return
      // The pool keeps the connection, and with it the lock.
      yield* Effect.addFinalizer(() => Effect.ignore(connection.executeValues(`select ${ways[wanted].release}`, [])))
      yield* Deferred.succeed(held, undefined)
      while (true) {
        looks = 0
        yield* Effect.sleep(lookEvery)
        yield* connection.executeValues("select 1", [])
      }
    })
  )
  const silence = Effect.andThen(
    Effect.repeat(Effect.sleep(lookEvery), { until: () => ++looks > maxLooks }),
    Effect.fail(GivenUp.silent(maxLooks * lookMillis))
  )
  /** A connection that hangs is left behind, and no other question meets it. */
  const round = Effect.acquireUseRelease(
    Effect.forkDetach(Effect.interruptible(session)),
    (running) => Effect.raceFirst(Fiber.join(running), silence),
    (running) => Effect.forkDetach(Fiber.interrupt(running))
  ).pipe(
    Effect.tapCause((cause) => Deferred.failCause(held, cause)),
    Effect.catchTag("DatabaseTaken", (taken) =>
      Effect.andThen(Effect.logError(taken.message), Deferred.fail(lost, taken))
    ),
    Effect.ignore,
    Effect.andThen(Effect.sync(() => (looks = 0)))
  )
  yield* Effect.forkScoped(
    Effect.repeat(round, { schedule: Schedule.spaced(lookEvery), until: () => Deferred.isDoneUnsafe(lost) })
  )
  yield* Deferred.await(held)
  return DatabaseClaim.of({ lost: Deferred.await(lost) })
})

/** False when nobody else has the lock, and it is to be asked for again. */
const taking = (wanted: Wanted) => {
  /**
   * Our session that had it last. Where its connection hangs or is dead, the database may have it still: it is ended there,
   * and is nobody who has taken anything.
   */
  let own: readonly [pid: number, since: string] | undefined
  return Effect.fnUntraced(function* (connection: Connection): Effect.fn.Return<boolean, SqlError | DatabaseTaken> {
    const [asked] = yield* connection.executeValues(tryOf(wanted), [])
    const [isTaken, ...me] = asked as readonly [boolean, number, string]
    if (isTaken) own = me
    if (isTaken) return true
    const holders = (yield* connection.executeValues(holdersOf(wanted), [])) as ReadonlyArray<readonly [number, string]>
    if (holders.some(([pid, since]) => pid !== own?.[0] || since !== own[1]))
      return yield* new DatabaseTaken({ wanted })
    for (const [pid] of holders) yield* connection.executeValues("select pg_terminate_backend($1)", [pid])
    return false
  })
}

const ways = {
  alone: {
    take: `pg_try_advisory_lock(${advisoryLocks.venue})`,
    release: `pg_advisory_unlock(${advisoryLocks.venue})`,
    hindered: "'ExclusiveLock', 'ShareLock'"
  },
  shared: {
    take: `pg_try_advisory_lock_shared(${advisoryLocks.venue})`,
    release: `pg_advisory_unlock_shared(${advisoryLocks.venue})`,
    hindered: "'ExclusiveLock'"
  }
} as const

const tryOf = (wanted: Wanted) => `
  select ${ways[wanted].take}, pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()`

/** Whoever has the lock in a way that leaves no room. */
const holdersOf = (wanted: Wanted) => `
  select lock.pid, coalesce(backend_start::text, '')
  from pg_locks lock left join pg_stat_activity activity on activity.pid = lock.pid
  where locktype = 'advisory' and granted and mode in (${ways[wanted].hindered})
    and lock.database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) + objid::bigint = ${advisoryLocks.venue} and objsubid = 1`

const lookMillis = 1_000
const lookEvery = `${lookMillis} millis` as const
/** So many without an answer, and the connection is given up. */
const maxLooks = 5
