/** Journal in Postgres: appends use one reserved connection, and all other queries use the pool. */
import { Clock, Deferred, Effect, Exit, type Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseMoves, type Moves } from "@venue/postgres/DatabaseMoves"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import * as Flush from "./Flush.ts"
import * as FlushMetrics from "./FlushMetrics.ts"
import { claimMany, type ClaimStore } from "./JournalClaim.ts"
import * as JournalQueries from "./JournalQueries.ts"
import * as JournalStatement from "./JournalStatement.ts"
import { type JournalShape, JournalUnavailable, NotOwner, type Row } from "./JournalStream.ts"
import type { OpenStream } from "./OpenStream.ts"
import * as Proof from "./Proof.ts"
import { Witness } from "./witness/Witness.ts"

/** Interval between probes while no flush is in flight, in milliseconds. */
const probeMillis = 500
/** Number of probe intervals without a response after which the connection and its statement are abandoned. */
const maxSilentProbes = 6
/**
 * Age in milliseconds above which the next probe renews a proof of ownership. Proofs are renewed every 1 s, at the
 * latest after 2 s.
 */
const provenForMillis = 750
const reconnectMillis = 100
/** Interval between two looks at an undecided recovery. */
const heldMillis = 500

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  const moves = yield* DatabaseMoves
  const witness = yield* Witness
  const runFork = Effect.runForkWith(yield* Effect.context())
  const flush = Flush.make(
    (stream, cause) => runFork(Effect.logError("another owner has taken over the journal stream", stream, cause)),
    () => clock.currentTimeMillisUnsafe(),
    witness
  )
  const metrics = yield* FlushMetrics.make
  const answered: Answered = { flushes: 0, all: 0 }
  const watch = makeWatch(flush, answered, clock, runFork)

  /** A failed write is never retried, because its rows might have been committed. */
  const writer =
    (connection: Connection, broken: Broken): Flush.Write =>
    (drafts, done) => {
      const { parameters, text } = JournalStatement.ofDrafts(drafts)
      const measured = metrics.sent(drafts)
      runFork(connection.executeValues(text, parameters)).addObserver((exit) => {
        measured(Exit.isSuccess(exit))
        if (Exit.isSuccess(exit)) {
          answered.all++
          answered.flushes++
          return done(JournalStatement.verdicts(drafts, exit.value))
        }
        moves.moved()
        flush.shut()
        Deferred.doneUnsafe(broken, Exit.failCause(exit.cause))
        done(undefined)
      })
    }

  const connect = Effect.gen(function* () {
    const connection = yield* sql.reserve
    yield* Effect.addFinalizer(() => (flush.isInFlight() ? Effect.void : giveBack(connection)))
    yield* connection.executeValues(settings, [])
    answered.all++
    return connection
  }).pipe(Effect.tapError(() => Effect.sleep(reconnectMillis)))

  const serve = Effect.gen(function* () {
    const connection = yield* connect
    const broken: Broken = yield* Deferred.make<never, SqlError>()
    flush.open(writer(connection, broken))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        moves.moved()
        flush.shut()
      })
    )
    yield* Effect.raceFirst(Deferred.await(broken), watch(connection, broken))
  })

  yield* Effect.scoped(serve).pipe(Effect.catch(DatabaseOutage.failed), Effect.forever, Effect.forkScoped)

  const queries = JournalQueries.make(sql)
  const store = witnessed(queries, witness)
  const claims = claiming(store, queries.isHeld, moves)
  const journal: JournalShape = {
    claim: Effect.fn("Journal.claim")(function* (stream, into, still) {
      const claimed = yield* claims([stream], () => into, still)
      return claimed.get(stream)!
    }),
    claimMany: Effect.fn("Journal.claimMany")(claims),
    append: flush.append,
    read: queries.read,
    heads: queries.heads,
    skip: Effect.fn("Journal.skip")(queries.skip),
    saveSnapshot: queries.saveSnapshot,
    wakeUps: queries.wakeUps,
    projected: queries.projected
  }
  return journal
})

/** Returns the claim of streams, which waits while rows might be missing (I57): it would take the number of one of them. */
const claiming = (store: ClaimStore, isHeld: JournalQueries.JournalQueries["isHeld"], moves: Moves) => {
  const whenDecided = Effect.fnUntraced(function* (stream: string, still: Effect.Effect<boolean>) {
    while (yield* isHeld) {
      if (!(yield* still)) return yield* new NotOwner({ stream })
      yield* Effect.sleep(heldMillis)
    }
  })
  return Effect.fnUntraced(function* (
    streams: ReadonlyArray<string>,
    into: Parameters<JournalShape["claimMany"]>[1],
    still: Effect.Effect<boolean>
  ) {
    const move = moves.count()
    yield* moves.whenChecked
    yield* whenDecided(streams[0] ?? "", still)
    // Rows that were read before a move can be missing on the new server.
    const claim: ClaimStore["claim"] = (rows) =>
      Effect.suspend(() => (moves.count() === move ? store.claim(rows) : Effect.fail(movedMeanwhile)))
    return yield* claimMany({ ...store, claim }, streams, into, still)
  })
}

const movedMeanwhile = new JournalUnavailable({ cause: new Error("the database moved during a claim") })

/** Passes the rows of successful claims to the witness. */
const witnessed = (store: ClaimStore, witness: (row: Row) => void): ClaimStore => ({
  ...store,
  claim: (rows) =>
    Effect.tap(store.claim(rows), (won) =>
      Effect.sync(() => {
        for (const row of rows) if (won.has(row.stream)) witness(row)
      })
    )
})

type Broken = Deferred.Deferred<never, SqlError>

/** Response counts on the append connection: for flushes, and for all statements. */
interface Answered {
  flushes: number
  all: number
}

/** Probes a connection, which also proves ownership of idle streams. Fails if the connection stays silent too long. */
const makeWatch = (
  flush: Flush.Flush,
  answered: Answered,
  clock: Clock.Clock,
  runFork: <A>(effect: Effect.Effect<A, SqlError>) => Fiber.Fiber<A, SqlError>
) =>
  Effect.fnUntraced(function* (connection: Connection, broken: Broken) {
    let seen = answered.flushes
    let answers = answered.all
    let isProbing = false
    /** Sends a probe behind the flush in flight. Without streams, it only checks that the database responds. */
    const probe = (streams: ReadonlyArray<OpenStream>) => {
      isProbing = true
      const sentAtMillis = clock.currentTimeMillisUnsafe()
      runFork(connection.executeValues(Proof.query, Proof.parameters(streams))).addObserver((exit) => {
        isProbing = false
        if (Exit.isFailure(exit)) return Deferred.doneUnsafe(broken, Exit.failCause(exit.cause))
        answered.all++
        Proof.answered(streams, exit.value, sentAtMillis)
      })
    }
    for (let silent = 0; silent < maxSilentProbes;) {
      yield* Effect.sleep(probeMillis)
      // After a pause of this process, a response might be waiting unread; the event loop reads it in this turn.
      yield* turn
      if (answered.all !== answers) yield* DatabaseOutage.answered
      answers = answered.all
      const isWaiting = isProbing || flush.isInFlight()
      silent = isWaiting && answered.flushes === seen ? silent + 1 : 0
      const unproven = flush.unproven(clock.currentTimeMillisUnsafe() - provenForMillis)
      if (!isProbing && (unproven.length > 0 || (!isWaiting && answered.flushes === seen))) probe(unproven)
      seen = answered.flushes
    }
    yield* DatabaseOutage.failed(new Error(`no response for ${(maxSilentProbes * probeMillis) / 1_000} s`))
  })

/** Plans the append statement once, and forces the plan to use the index even while the tables are small. */
const settings = `
  select set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('enable_seqscan', 'off', false),
    set_config('jit', 'off', false)`

const resettings = `
  select set_config(name, reset_val, false) from pg_settings
  where name in ('plan_cache_mode', 'enable_seqscan', 'jit')`

/** Resets the connection. If a flush is in flight, the pool closes the connection and the outcome stays unknown. */
const giveBack = (connection: Connection) =>
  connection.executeValues(resettings, []).pipe(Effect.timeout("1 second"), Effect.ignore)

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
