import { type Revocation, Revocations, RevokesAlone } from "@venue/storage/access/Revocations"
import { Transaction } from "@venue/postgres/Transaction"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Reactivity from "effect/reactivity/Reactivity"
import { freshDatabase, postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Revocations | Transaction, unknown>) =>
  layer(services, { excludeTestServices: true, timeout: "2 minutes" })(name, (it) => {
    it.effect("calls an observer for every announcement until the observer's scope closes", () =>
      Effect.gen(function* () {
        const revocations = yield* Revocations
        const observed: Array<Revocation> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const wasCalled = yield* Deferred.make<void>()
            yield* revocations.watch((revocation) => {
              observed.push(revocation)
              Deferred.doneUnsafe(wasCalled, Effect.void)
            })
            yield* revocations.announce({ kind: "key", subject: "svc_pub_1" })
            yield* Deferred.await(wasCalled)
          })
        )
        yield* revocations.announce({ kind: "key", subject: "svc_pub_2" })
        assert.deepInclude(observed[0], { kind: "key", subject: "svc_pub_1" })
        assert.isUndefined(observed.find(({ subject }) => subject === "svc_pub_2"))
      })
    )

    it.effect("calls every observer even if another observer throws", () =>
      Effect.gen(function* () {
        const { announce } = yield* Revocations
        const hears = yield* besideAFaultyOne
        for (const subject of ["odd", "next"]) {
          yield* announce({ kind: "key", subject })
          yield* hears(subject)
        }
      }).pipe(Effect.scoped)
    )
  })

/** Watches with two observers: the first throws at one subject, the second records everything. */
const besideAFaultyOne = Effect.gen(function* () {
  const { watch } = yield* Revocations
  const observed = new Map<string, Deferred.Deferred<void>>()
  const of = (subject: string) => {
    const deferred = observed.get(subject) ?? Deferred.makeUnsafe<void>()
    observed.set(subject, deferred)
    return deferred
  }
  yield* watch(({ subject }) => {
    if (subject.startsWith("odd")) throw new Error("a test")
  })
  yield* watch(({ subject }) => {
    Deferred.doneUnsafe(of(subject), Effect.void)
  })
  return (subject: string) => Effect.timeout(Deferred.await(of(subject)), "1 minute")
})

const silent = Logger.layer([])

suite("revocations in memory", Layer.mergeAll(Revocations.layerMemory, Transaction.layerMemory, silent))
suite(
  "revocations on Postgres",
  Layer.mergeAll(Revocations.layer, Transaction.layer).pipe(Layer.provide(postgresLayer), Layer.provide(silent))
)

/** Counts, by subject, the revocations that a node publishes. */
const node = (url: Effect.Success<typeof freshDatabase>) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(
      Layer.mergeAll(Revocations.layer, Transaction.layer).pipe(
        Layer.provideMerge(PgClient.layer({ url, maxConnections: 4 })),
        Layer.fresh
      )
    )
    const revocations = Context.get(services, Revocations)
    const transaction = Context.get(services, Transaction)
    const observed = new Map<string, Deferred.Deferred<void>>()
    const of = (subject: string) => {
      const deferred = observed.get(subject) ?? Deferred.makeUnsafe<void>()
      observed.set(subject, deferred)
      return deferred
    }
    const counts = new Map<string, number>()
    yield* revocations.watch(({ subject }) => {
      counts.set(subject, (counts.get(subject) ?? 0) + 1)
      Deferred.doneUnsafe(of(subject), Effect.void)
    })
    return { revocations, transaction, counts, hears: (subject: string) => Deferred.await(of(subject)) }
  })

it.live(
  "publishes a committed revocation once on another node, and never publishes a rolled-back one",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const here = yield* node(url)
      const there = yield* node(url)
      yield* Effect.ignore(
        here.transaction.run(
          Effect.andThen(here.revocations.announce({ kind: "session", subject: "undone" }), Effect.fail("refused"))
        )
      )
      yield* here.transaction.run(here.revocations.announce({ kind: "session", subject: "done" }))
      yield* Effect.all([here.hears("done"), there.hears("done")])
      // By now, two later polls have read the same rows again. They must not have published the rows twice.
      yield* Effect.sleep("1200 millis")
      assert.strictEqual(there.counts.get("done"), 1)
      assert.isUndefined(there.counts.get("undone"))
    }).pipe(Effect.scoped),
  900_000
)

it.live(
  "publishes a revocation within a second on a node that receives no database notifications",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const here = yield* node(url)
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      yield* sql`insert into revocation (kind, subject) values ('key', 'silent')`
      yield* Effect.timeout(here.hears("silent"), "1 minute")
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  900_000
)

it.live(
  "publishes a revocation as soon as it commits, however long ago its row was written",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { hears } = yield* node(url)
      const slow = yield* PgClient.make({ url, maxConnections: 1 })
      const quick = yield* PgClient.make({ url, maxConnections: 1 })
      yield* slow.withTransaction(
        Effect.gen(function* () {
          yield* slow`
            insert into revocation (kind, subject, revoked_at) values ('key', 'slow', now() - interval '10 minutes')`
          yield* quick`insert into revocation (kind, subject) values ('key', 'quick')`
          yield* hears("quick")
        })
      )
      yield* Effect.timeout(hears("slow"), "1 minute")
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  900_000
)

it.live(
  "I57: after a recovery, announcements have numbers above the witnessed ones",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { revocations } = yield* node(url)
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      const announced = Effect.fnUntraced(function* (subject: string) {
        yield* revocations.announce({ kind: "key", subject })
        const [row] = yield* sql`select number::float8 from revocation where subject = ${subject}`.values
        return row![0]
      })
      yield* revocations.numberAbove(0)
      assert.strictEqual(yield* announced("first"), 1)
      yield* revocations.numberAbove(1_000)
      assert.strictEqual(yield* announced("after the recovery"), 1_001)
      yield* revocations.numberAbove(500)
      assert.strictEqual(yield* announced("after a smaller number"), 1_002)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  900_000
)

it.live(
  "continues with later revocations after an observer throws",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { revocations } = yield* node(url)
      const hears = yield* Effect.provideService(besideAFaultyOne, Revocations, revocations)
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      for (const subject of ["odd", "next", "odd again", "last"]) {
        yield* sql`insert into revocation (kind, subject) values ('key', ${subject})`
        yield* hears(subject)
      }
    }).pipe(Effect.scoped, Effect.provide([Reactivity.layer, silent])),
  900_000
)

it.live(
  "I48: deletes revocations older than one day, a few with each announcement",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { hears, revocations } = yield* node(url)
      const sql = yield* PgClient.make({ url, maxConnections: 1 })
      yield* sql`
        insert into revocation (kind, subject, revoked_at)
        select 'key', hours || ' hours', now() - hours * interval '1 hour' from unnest(array[23, 25, 26, 27, 28, 29]) hours`
      const subjects = Effect.map(
        sql<{ readonly subject: string }>`select subject from revocation order by revoked_at`,
        (rows) => rows.map(({ subject }) => subject)
      )
      yield* revocations.announce({ kind: "key", subject: "first" })
      assert.deepStrictEqual(yield* subjects, ["25 hours", "23 hours", "first"])
      yield* revocations.announce({ kind: "key", subject: "second" })
      assert.deepStrictEqual(yield* subjects, ["23 hours", "first", "second"])
      yield* hears("second")
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  900_000
)

/** Advances the test clock in steps. Each step gives the database more real time: 20 ms, then 22, 24 … */
const passUntil = Effect.fnUntraced(function* (holds: () => boolean) {
  for (let steps = 0; steps < 200 && !holds(); steps++) {
    yield* TestClock.adjust("500 millis")
    for (let millis = 0; millis < 20 + 2 * steps && !holds(); millis++) {
      yield* Effect.callback<void>((resume) => {
        setTimeout(() => resume(Effect.void), 1)
      })
    }
  }
  assert.isTrue(holds())
})

it.effect(
  "I40: after ten seconds without the database, calls the delay observer every second until the database recovers",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { delayMillis, whenDelayed } = yield* Revocations
      let calls = 0
      yield* whenDelayed(() => void calls++)
      for (let polls = 0; polls < 5; polls++) {
        yield* TestClock.adjust("1 second")
        yield* passUntil(() => delayMillis() <= 500)
      }
      yield* sql`alter table revocation rename to elsewhere`
      yield* passUntil(() => delayMillis() > 10_000)
      assert.strictEqual(calls, 0)
      yield* passUntil(() => calls > 2)
      yield* sql`alter table elsewhere rename to revocation`
      yield* passUntil(() => delayMillis() <= 500)
      const before = calls
      yield* TestClock.adjust("1 second")
      assert.strictEqual(calls, before)
    }).pipe(Effect.provide(Revocations.layer.pipe(Layer.provideMerge(postgresLayer), Layer.provide(silent))))
)

it.effect(
  "I40: a process that makes all revocations itself reports no delay, even while its database is unreachable",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { delayMillis } = yield* Revocations
      yield* sql`alter table revocation rename to elsewhere`
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(delayMillis(), 0)
    }).pipe(
      Effect.provide(Revocations.layer.pipe(Layer.provideMerge(postgresLayer), Layer.provide(silent))),
      Effect.provideService(RevokesAlone, true)
    )
)
