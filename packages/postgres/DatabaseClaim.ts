/** The lock that a running venue holds on its database: exclusive for one process, shared by a cluster's nodes. */
import { Context, Deferred, Effect, Fiber, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import * as GivenUp from "./GivenUp.ts"

const Wanted = Schema.Literals(["alone", "shared"])
export type Wanted = typeof Wanted.Type

/** Another venue holds a conflicting lock. Both venues would take over every stream and fence each other endlessly. */
export class DatabaseTaken extends Schema.TaggedError<DatabaseTaken>()("DatabaseTaken", { wanted: Wanted }) {
  override get message(): string {
    return this.wanted === "shared"
      ? "a single-process venue is running on this database: stop it before you start nodes"
      : "another venue is running on this database"
  }
}

export class DatabaseClaim extends Context.Service<
  DatabaseClaim,
  {
    /** Fails if another venue takes the database lock during an outage; this process must then exit. */
    readonly lost: Effect.Effect<never, DatabaseTaken>
  }
>()("@venue/postgres/DatabaseClaim") {}

/** Takes the session lock, and takes it again after each outage unless another venue has taken it. */
export const hold = Effect.fnUntraced(function* (wanted: Wanted) {
  const sql = yield* SqlClient.SqlClient
  const held = yield* Deferred.make<void, SqlError | DatabaseTaken>()
  const lost = yield* Deferred.make<never, DatabaseTaken>()
  const take = taking(wanted)
  /** Number of checks since the last response. A pause of this process counts as one check, however long it is. */
  let checks = 0

  const session = Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      if (!(yield* take(connection))) return
      // Releases the lock explicitly, because the pool keeps the connection open, and an open session keeps its lock.
      yield* Effect.addFinalizer(() => Effect.ignore(connection.executeValues(`select ${ways[wanted].release}`, [])))
      yield* Deferred.succeed(held, undefined)
      while (true) {
        checks = 0
        yield* Effect.sleep(checkEvery)
        yield* connection.executeValues("select 1", [])
      }
    })
  )
  const silence = Effect.andThen(
    Effect.repeat(Effect.sleep(checkEvery), { until: () => ++checks > maxChecks }),
    Effect.fail(GivenUp.silent(maxChecks * checkMillis))
  )
  /** Abandons a hanging connection without waiting for it; no later query uses the connection. */
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
    Effect.andThen(Effect.sync(() => (checks = 0)))
  )
  yield* Effect.forkScoped(
    Effect.repeat(round, { schedule: Schedule.spaced(checkEvery), until: () => Deferred.isDoneUnsafe(lost) })
  )
  yield* Deferred.await(held)
  return DatabaseClaim.of({ lost: Deferred.await(lost) })
})

/** Takes the lock. Returns false if only this process's own lost session still holds it; the caller retries. */
const taking = (wanted: Wanted) => {
  /**
   * This process's last session with the lock. If its connection was lost, the database might still hold the session;
   * it is then terminated and does not count as another venue.
   */
  let own: readonly [pid: number, since: string] | undefined
  return Effect.fnUntraced(function* (connection: Connection): Effect.fn.Return<boolean, SqlError | DatabaseTaken> {
    const [row] = yield* connection.executeValues(tryOf(wanted), [])
    const [isTaken, ...me] = row as readonly [boolean, number, string]
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
    conflicts: "'ExclusiveLock', 'ShareLock'"
  },
  shared: {
    take: `pg_try_advisory_lock_shared(${advisoryLocks.venue})`,
    release: `pg_advisory_unlock_shared(${advisoryLocks.venue})`,
    conflicts: "'ExclusiveLock'"
  }
} as const

const tryOf = (wanted: Wanted) => `
  select ${ways[wanted].take}, pid, backend_start::text from pg_stat_activity where pid = pg_backend_pid()`

/** Selects the sessions that hold the lock in a conflicting mode. */
const holdersOf = (wanted: Wanted) => `
  select lock.pid, coalesce(backend_start::text, '')
  from pg_locks lock left join pg_stat_activity activity on activity.pid = lock.pid
  where locktype = 'advisory' and granted and mode in (${ways[wanted].conflicts})
    and lock.database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) + objid::bigint = ${advisoryLocks.venue} and objsubid = 1`

const checkMillis = 1_000
const checkEvery = `${checkMillis} millis` as const
/** Number of checks without a response before the connection is abandoned. */
const maxChecks = 5
