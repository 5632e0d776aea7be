import { Journal } from "@venue/journal/Journal"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Buffer } from "node:buffer"
import { postgresLayer } from "../Postgres.ts"
import { bytes, follow, history, Nodes, own, recorder, turn, twoNodes, yes } from "./JournalNodes.ts"

const nodes = twoNodes(Journal.layer).pipe(Layer.provideMerge(postgresLayer))

describe("unknown row outcome", () => {
  layer(nodes, { excludeTestServices: true })((it) => {
    it.effect(
      "I1, I5: delays a claim until an in-flight row commits, and then replays the row and continues after it",
      () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const { from } = yield* own(a, "committed")
          const inDoubt = yield* insertRow({ stream: "committed", seq: 2, epoch: from.epoch })
          const replayed = recorder()
          const claim = yield* Effect.forkChild(b.claim("committed", replayed, yes))
          yield* untilOneWaits
          yield* inDoubt("commit")
          assert.deepStrictEqual(yield* Fiber.join(claim), { epoch: 2, seq: 3 })
          assert.deepStrictEqual(replayed.rows, ["1 1 ", "2 1 in doubt"])
        })
    )

    it.effect(
      "I1: delays a claim until an in-flight row is rolled back, and then uses that row's sequence number",
      () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const { from } = yield* own(a, "gone")
          const inDoubt = yield* insertRow({ stream: "gone", seq: 2, epoch: from.epoch })
          const claim = yield* Effect.forkChild(b.claim("gone", recorder(), yes))
          yield* untilOneWaits
          yield* inDoubt("rollback")
          assert.deepStrictEqual(yield* Fiber.join(claim), { epoch: 2, seq: 2 })
        })
    )

    it.effect("I3: a node that loses the shard while its claim waits for another claim gives up the claim", () =>
      Effect.gen(function* () {
        const { a, b } = yield* Nodes
        const { from } = yield* own(a, "given up")
        const inDoubt = yield* insertRow({ stream: "given up", seq: 2, epoch: from.epoch + 1 })
        const claim = yield* Effect.forkChild(Effect.flip(b.claim("given up", recorder(), Effect.succeed(false))))
        yield* untilOneWaits
        yield* inDoubt("commit")
        assert.deepStrictEqual((yield* Fiber.join(claim))._tag, "NotOwner")
        assert.deepStrictEqual(yield* history(a, "given up"), ["1 1 ", "2 2 in doubt"])
      })
    )

    it.effect(
      "I1, I51: if the connection is lost during a flush, the next claim finds out whether the flush's rows were committed",
      () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const first = yield* own(a, "unknown one")
          const second = yield* own(a, "unknown two")
          const outside = yield* own(a, "outside")
          const inDoubt = yield* insertRow({ stream: "unknown two", seq: 2, epoch: 1 })
          const flushed = yield* Effect.forkChild(
            Effect.all(
              [first, second].map((owner) => Effect.flip(owner.record("lost"))),
              { concurrency: 2 }
            )
          )
          yield* untilOneWaits
          const waiting = yield* Effect.forkChild(outside.record("kept"))
          yield* turn
          yield* terminateWaiting
          assert.deepStrictEqual(yield* Fiber.join(flushed), ["unknown", "unknown"])
          assert.strictEqual(yield* Fiber.join(waiting), 2)
          yield* inDoubt("commit")
          const replayed = recorder()
          const claimed = yield* b.claimMany(["unknown one", "unknown two"], () => replayed, yes)
          assert.deepStrictEqual(
            [...claimed.values()],
            [
              { epoch: 2, seq: 2 },
              { epoch: 2, seq: 3 }
            ]
          )
          assert.deepStrictEqual(replayed.rows, ["1 1 ", "1 1 ", "2 1 in doubt"])
          assert.deepStrictEqual([first.committed, second.committed], [[], []])
        })
    )

    it.effect("I4: writes no further row of a stream while the outcome of the stream's previous row is unknown", () =>
      Effect.gen(function* () {
        const { a } = yield* Nodes
        const owner = yield* own(a, "one at a time")
        const inDoubt = yield* insertRow({ stream: "one at a time", seq: 2, epoch: 1 })
        owner.say("first")
        yield* untilOneWaits
        owner.say("second")
        yield* turn
        assert.strictEqual(owner.collects(), 1)
        yield* inDoubt("commit")
        assert.strictEqual(yield* Effect.flip(owner.record("third")), "fenced")
        assert.deepStrictEqual(yield* history(a, "one at a time"), ["1 1 ", "2 1 in doubt"])
      })
    )

    it.effect("replaces a connection that closes between flushes", () =>
      Effect.gen(function* () {
        const { a, b } = yield* Nodes
        const sql = yield* SqlClient.SqlClient
        yield* Effect.ignore(
          sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and query like '%journal%'`
        )
        // A node might not have noticed the closed connection yet, so its first append can end with an unknown
        // outcome.
        for (const node of [a, b]) {
          const owner = yield* own(node, "replaced")
          const again = yield* Effect.catch(owner.record("one"), () =>
            Effect.flatMap(own(node, "replaced"), (next) => next.record("one"))
          )
          assert.isAbove(again, 1)
        }
      })
    )
  })
})

describe("a snapshot", () => {
  it.effect("reads a snapshot completely, whether it was stored in one piece or several", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const state = Uint8Array.from({ length: 9_000_000 }, (_, n) => n % 251)
      for (const stream of ["small", "large"]) yield* own(journal, stream)
      yield* journal.saveSnapshot("small", 1, [bytes("a few words")])
      yield* journal.saveSnapshot("large", 1, [state])
      const replayed = recorder()
      yield* journal.claim("small", replayed, yes)
      assert.deepStrictEqual(replayed.rows, ["snapshot 1 a few words"])
      let found = new Uint8Array(0)
      const restore = (whole: Uint8Array) => (found = Uint8Array.from(whole)).length > 0
      yield* journal.claim("large", { restore, replay: () => {} }, yes)
      assert.isTrue(Buffer.from(found).equals(state))
    }).pipe(Effect.provide(Journal.layer.pipe(Layer.provideMerge(postgresLayer))))
  )

  it.effect("deletes the pieces of the previous snapshot, and the pieces of a snapshot that is discarded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const owner = yield* own(journal, "pieces")
      for (const word of ["one", "two"]) yield* owner.record(word)
      const large = new Uint8Array(9_000_000)
      for (const seq of [1, 3, 2, 9]) yield* journal.saveSnapshot("pieces", seq, [large, bytes(`${seq}`)])
      const kept = yield* sql`select seq, number, octet_length(piece) as length from snapshot_piece order by number`
      assert.deepStrictEqual(
        kept.map(({ length, number, seq }) => [Number(seq), number, length]),
        [
          [3, 0, 4_194_304],
          [3, 1, 4_194_304],
          [3, 2, 9_000_001 - 2 * 4_194_304]
        ]
      )
    }).pipe(Effect.provide(Journal.layer.pipe(Layer.provideMerge(postgresLayer))))
  )
})

describe("a query", () => {
  it.effect(
    "fails a query that has no response after ten seconds, so that a claim can restart on another connection",
    () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        yield* own(journal, "hanging")
        const inDoubt = yield* insertRow({ stream: "hanging", seq: 2, epoch: 1 })
        const claim = yield* Effect.forkChild(Effect.flip(journal.claim("hanging", recorder(), yes)))
        yield* untilOneWaits
        yield* passMillis(10_500)
        assert.strictEqual((yield* Fiber.join(claim))._tag, "JournalUnavailable")
        yield* inDoubt("rollback")
      }).pipe(Effect.scoped, Effect.provide(Journal.layer.pipe(Layer.provideMerge(postgresLayer))))
  )
})

describe("the appending connection", () => {
  it.effect("I1: abandons a write and its connection if there is no response for three seconds", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const owner = yield* own(journal, "silent")
      const inDoubt = yield* insertRow({ stream: "silent", seq: 2, epoch: 1 })
      const recording = yield* Effect.forkChild(Effect.flip(owner.record("one")))
      yield* untilOneWaits
      yield* passMillis(2_000)
      assert.deepStrictEqual(owner.lost, [])
      yield* passMillis(1_500)
      assert.strictEqual(yield* Fiber.join(recording), "unknown")
      yield* inDoubt("rollback")
      const again = follow(journal, "silent", yield* journal.claim("silent", recorder(), yes))
      assert.isAbove(yield* again.record("two"), 2)
    }).pipe(Effect.scoped, Effect.provide(Journal.layer.pipe(Layer.provideMerge(postgresLayer))))
  )

  it.effect("I4: with isBelieved set, repeatedly proves that an idle owner still owns its stream", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      // Establishes the connection.
      yield* (yield* own(journal, "at work")).record("one")
      const quiet = yield* own(journal, "quiet", true)
      for (let seconds = 1; seconds <= 10; seconds++) {
        yield* passUntil(() => quiet.appender.provenAtMillis() >= 1_000 * seconds)
      }
      assert.deepStrictEqual(quiet.lost, [])
    }).pipe(Effect.provide(Journal.layer.pipe(Layer.provide(postgresLayer))))
  )

  it.effect("I4: with isBelieved set, fences an idle owner once another owner has claimed its stream", () =>
    Effect.gen(function* () {
      const { a, b } = yield* Nodes
      yield* (yield* own(a, "at work")).record("one")
      const quiet = yield* own(a, "taken", true)
      const other = yield* own(a, "kept", true)
      yield* passUntil(() => quiet.appender.provenAtMillis() > 0)
      const next = yield* own(b, "taken", true)
      const claimedAtMillis = yield* Clock.currentTimeMillis
      yield* passUntil(() => quiet.lost.length > 0)
      yield* passUntil(() => other.appender.provenAtMillis() > claimedAtMillis)
      assert.deepStrictEqual([quiet.lost, other.lost], [["fenced"], []])
      assert.isAtMost(quiet.appender.provenAtMillis(), claimedAtMillis)
      assert.isAbove(yield* next.record("two"), 2)
      yield* passUntil(() => next.appender.provenAtMillis() > claimedAtMillis)
    }).pipe(Effect.provide(nodes))
  )

  it.effect(
    "I4: an owner is not fenced by its own in-flight row, and the row's commit proves that it owns the stream",
    () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const owner = yield* own(journal, "at work", true)
        for (let n = 1; n <= 20; n++) {
          const recording = yield* Effect.forkChild(owner.record("word"))
          yield* TestClock.adjust(500)
          yield* Fiber.join(recording)
          assert.isAtLeast(owner.appender.provenAtMillis(), 500 * (n - 1))
        }
        assert.deepStrictEqual(owner.lost, [])
      }).pipe(Effect.provide(Journal.layer.pipe(Layer.provide(postgresLayer))))
  )
})

/** Waits 1 ms of real time, which the test clock does not advance. */
const realMilli = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 1)
})

/** Advances in steps of one probe interval, each with as much real time as a response usually needs. */
const passUntil = Effect.fnUntraced(function* (isSo: () => boolean) {
  for (let steps = 0; steps < 200 && !isSo(); steps++) {
    yield* TestClock.adjust(500)
    for (let waits = 0; waits < 50 + 2 * steps && !isSo(); waits++) yield* realMilli
  }
  assert.isTrue(isSo())
})

/** Advances in steps of one probe interval, each with as much real time as the event loop needs. */
const passMillis = Effect.fnUntraced(function* (millis: number) {
  for (let passed = 0; passed < millis; passed += 500) {
    yield* TestClock.adjust(500)
    for (let turns = 0; turns < 20; turns++) yield* turn
  }
})

/** Inserts a row in an open transaction. The returned effect commits the row or rolls it back. */
const insertRow = Effect.fnUntraced(function* (row: { stream: string; seq: number; epoch: number }) {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  yield* connection.executeUnprepared("begin", [], undefined)
  yield* connection.execute(
    "insert into journal (stream, seq, epoch, events) values ($1, $2, $3, $4)",
    [row.stream, row.seq, row.epoch, bytes("in doubt")],
    undefined
  )
  return (end: "commit" | "rollback") => connection.executeUnprepared(end, [], undefined)
})

const waiting = "datname = current_database() and wait_event_type = 'Lock' and query like '%insert into journal%'"

const untilOneWaits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let asked = 0; asked < 5_000; asked++) {
    const found = yield* sql.unsafe(`select 1 from pg_stat_activity where ${waiting}`)
    if (found.length > 0) return
  }
  return yield* Effect.die(new Error("nobody waits"))
})

const terminateWaiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where ${waiting}`)
)
