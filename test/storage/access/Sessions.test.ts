import { UserId } from "@venue/domain/UserId"
import { Revocations } from "@venue/storage/access/Revocations"
import { type NewSession, Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const day = 24 * 60 * 60 * 1000
const lifetime = 60 * 60 * 1000

const newSession = (userId: UserId, sessionId: string): NewSession => ({
  sessionId,
  userId,
  clientId: null,
  publicClient: false,
  scope: null,
  aal: "aal1",
  amr: [{ method: "web3", timestamp: 1 }],
  expiresAtMillis: lifetime
})

/** Creates a user with these sessions. Each session has a refresh token derived from its id. */
const begin = (userId: UserId, ...sessionIds: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    yield* TestClock.setTime(1_000)
    yield* (yield* Users).create({ userId, name: userId })
    for (const sessionId of sessionIds) {
      yield* sessions.begin(newSession(userId, sessionId), Redacted.make(`token of ${sessionId}`))
    }
    return sessions
  })

const idsOf = (stored: ReadonlyArray<{ readonly sessionId: string }>) => stored.map(({ sessionId }) => sessionId)

const suite = (name: string, services: Layer.Layer<Revocations | Sessions | Transaction | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns a new session as it was stored, with a refresh token of generation 1", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("amy"), "a1")
        const stored = Option.getOrThrow(yield* sessions.find("a1"))
        assert.deepStrictEqual(stored, {
          ...newSession(UserId.make("amy"), "a1"),
          createdAtMillis: 1_000,
          refreshedAtMillis: 1_000,
          endedAtMillis: null
        })
        const token = Option.getOrThrow(yield* sessions.findToken(Redacted.make("token of a1")))
        assert.deepInclude(token, { sessionId: "a1", generation: 1 })
        assert.isTrue(Option.isNone(yield* sessions.findToken(Redacted.make("token of a2"))))
      })
    )

    it.effect("makes an issued refresh token the newest, and still recognises older tokens", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("ben"), "b1")
        yield* TestClock.setTime(2_000)
        const salt = Uint8Array.of(1, 2, 3)
        yield* sessions.issue(Redacted.make("next of b1"), { sessionId: "b1", generation: 2, salt })
        const newest = yield* sessions.newestToken("b1")
        assert.deepInclude(newest, { sessionId: "b1", generation: 2 })
        assert.deepStrictEqual([...newest.salt], [1, 2, 3])
        assert.isTrue(Option.isSome(yield* sessions.findToken(Redacted.make("token of b1"))))
        assert.strictEqual(Option.getOrThrow(yield* sessions.find("b1")).refreshedAtMillis, 2_000)
      })
    )

    it.effect("lists no ended or expired session, and keeps the time when a session ended", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("cat"), "c3", "c1", "c2")
        assert.deepStrictEqual(idsOf(yield* sessions.ofUser(UserId.make("cat"))), ["c1", "c2", "c3"])
        yield* TestClock.setTime(2_000)
        yield* sessions.end(["c1", "c1", "unknown"])
        yield* TestClock.setTime(3_000)
        yield* sessions.end(["c1"])
        assert.deepStrictEqual(idsOf(yield* sessions.ofUser(UserId.make("cat"))), ["c2", "c3"])
        assert.strictEqual(Option.getOrThrow(yield* sessions.find("c1")).endedAtMillis, 2_000)
        yield* TestClock.setTime(lifetime)
        assert.deepStrictEqual(yield* sessions.ofUser(UserId.make("cat")), [])
        assert.deepStrictEqual(yield* (yield* Transaction).run(sessions.lockOfUser(UserId.make("cat"))), [])
      })
    )

    it.effect("announces a session's end once", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("dan"), "d1", "d2")
        const announced: Array<string> = []
        const last = yield* Deferred.make<void>()
        yield* (yield* Revocations).watch(({ kind, subject }) => {
          if (kind === "session") announced.push(subject)
          if (subject === "d2") Deferred.doneUnsafe(last, Effect.void)
        })
        yield* sessions.end(["d1"])
        yield* sessions.end(["d1", "d2"])
        yield* Deferred.await(last)
        assert.deepStrictEqual(announced, ["d1", "d2"])
      }).pipe(Effect.scoped)
    )

    it.effect("ends all of one application's sessions with a single announcement", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("una"), "una-1")
        const ofClient = (sessionId: string, clientId: string) =>
          sessions.begin(
            { ...newSession(UserId.make("una"), sessionId), clientId },
            Redacted.make(`token of ${sessionId}`)
          )
        yield* ofClient("una-2", "app")
        yield* ofClient("una-3", "app")
        yield* ofClient("una-4", "other app")
        const announced: Array<string> = []
        const last = yield* Deferred.make<void>()
        yield* (yield* Revocations).watch(({ kind, subject }) => {
          announced.push(`${kind} ${subject}`)
          if (subject === "una-4") Deferred.doneUnsafe(last, Effect.void)
        })
        yield* sessions.end(["una-3"])
        yield* TestClock.setTime(2_000)
        yield* sessions.endOfClient("app")
        assert.deepStrictEqual(idsOf(yield* sessions.ofUser(UserId.make("una"))), ["una-1", "una-4"])
        const ended = yield* Effect.forEach(["una-2", "una-3"], (sessionId) => sessions.find(sessionId))
        assert.deepStrictEqual(
          ended.map((session) => Option.getOrThrow(session).endedAtMillis),
          [2_000, 1_000]
        )
        yield* sessions.end(["una-4"])
        yield* Deferred.await(last)
        assert.deepStrictEqual(announced, ["session una-3", "client app", "session una-4"])
      }).pipe(Effect.scoped)
    )

    it.effect("changes a session's assurance level", () =>
      Effect.gen(function* () {
        const sessions = yield* begin(UserId.make("eve"), "e1", "e2")
        const amr = [
          { method: "totp", timestamp: 2 },
          { method: "web3", timestamp: 1 }
        ]
        yield* sessions.prove("e1", { aal: "aal2", amr })
        assert.deepInclude(Option.getOrThrow(yield* sessions.find("e1")), { aal: "aal2", amr })
        assert.strictEqual(Option.getOrThrow(yield* sessions.find("e2")).aal, "aal1")
      })
    )

    it.effect("does not deadlock when two callers end the same sessions in opposite order", () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 20 }, (_, index) => `f${index}`)
        const sessions = yield* begin(UserId.make("fay"), ...ids)
        yield* Effect.all([sessions.end(ids), sessions.end(ids.toReversed())], { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* sessions.ofUser(UserId.make("fay")), [])
      })
    )

    it.effect("I48: if a user has more than one hundred sessions, ends the least recently used session", () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 100 }, (_, index) => `ida-${index}`)
        const sessions = yield* begin(UserId.make("ida"), ...ids)
        yield* TestClock.setTime(2_000)
        for (const sessionId of ids.slice(2)) {
          const place = { sessionId, generation: 2, salt: new Uint8Array() }
          yield* sessions.issue(Redacted.make(`next of ${sessionId}`), place)
        }
        const announced: Array<string> = []
        const last = yield* Deferred.make<void>()
        yield* (yield* Revocations).watch(({ subject }) => {
          announced.push(subject)
          if (subject === "jon-1") Deferred.doneUnsafe(last, Effect.void)
        })
        yield* TestClock.setTime(3_000)
        for (const id of ["ida-new-1", "ida-new-2"]) {
          yield* sessions.begin(newSession(UserId.make("ida"), id), Redacted.make(`token of ${id}`))
        }
        yield* begin(UserId.make("jon"), "jon-1")
        yield* sessions.end(["jon-1"])
        yield* Deferred.await(last)
        assert.sameMembers(announced, ["ida-0", "ida-1", "jon-1"])
        const live = idsOf(yield* sessions.ofUser(UserId.make("ida")))
        assert.sameMembers(live, [...ids.slice(2), "ida-new-1", "ida-new-2"])
      }).pipe(Effect.scoped)
    )

    it.effect("I50: treats session ids and tokens with any characters as unknown", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        for (const text of ["", "\0", "'; drop table session", "空", "\ud800", "x".repeat(10_000)]) {
          assert.isTrue(Option.isNone(yield* sessions.find(text)))
          assert.isTrue(Option.isNone(yield* sessions.lock(text)))
          assert.isTrue(Option.isNone(yield* sessions.findToken(Redacted.make(text))))
          assert.deepStrictEqual(yield* sessions.ofUser(UserId.make(text)), [])
          yield* sessions.end([text])
        }
      })
    )
  })

suite(
  "Sessions in memory",
  Sessions.layerMemory.pipe(
    Layer.provideMerge(Layer.mergeAll(Revocations.layerMemory, Transaction.layerMemory, Users.layerMemory))
  )
)

const postgres = Sessions.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Revocations.layer, Transaction.layer, Users.layer)),
  Layer.provideMerge(postgresLayer)
)
suite("Sessions on Postgres", postgres)

it.effect("deletes a session and its tokens one month after its expiry, when other sessions begin", () =>
  Effect.gen(function* () {
    const sessions = yield* begin(UserId.make("gus"), "g1")
    yield* TestClock.setTime(lifetime + 30 * day)
    yield* sessions.begin({ ...newSession(UserId.make("gus"), "g2"), expiresAtMillis: 60 * day }, Redacted.make("g2"))
    assert.isTrue(Option.isSome(yield* sessions.find("g1")))
    yield* TestClock.setTime(lifetime + 30 * day + 1)
    yield* sessions.begin({ ...newSession(UserId.make("gus"), "g3"), expiresAtMillis: 60 * day }, Redacted.make("g3"))
    assert.isTrue(Option.isNone(yield* sessions.find("g1")))
    assert.isTrue(Option.isNone(yield* sessions.findToken(Redacted.make("token of g1"))))
  }).pipe(Effect.provide(postgres))
)

it.effect("I48: begins a session without waiting until all of an old session's tokens are deleted", () =>
  Effect.gen(function* () {
    const sessions = yield* begin(UserId.make("kim"), "k1")
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into refresh_token (token_hash, session_id, generation, salt, issued_at)
      select sha256(generation::text::bytea), 'k1', generation, '', now() from generate_series(2, 60) generation`
    const left = Effect.map(
      sql<{ readonly count: number }>`select count(*)::int as count from refresh_token where session_id = 'k1'`,
      ([row]) => row!.count
    )
    yield* TestClock.setTime(lifetime + 30 * day + 1)
    const next = { ...newSession(UserId.make("kim"), "k2"), expiresAtMillis: 60 * day }
    yield* sessions.begin(next, Redacted.make("k2"))
    assert.strictEqual(yield* left, 60 - 16)
    for (let generation = 2; generation < 5; generation++) {
      assert.isTrue(Option.isSome(yield* sessions.find("k1")))
      const place = { sessionId: "k2", generation, salt: new Uint8Array() }
      yield* sessions.issue(Redacted.make(`k2 ${generation}`), place)
    }
    assert.strictEqual(yield* left, 0)
    assert.isTrue(Option.isNone(yield* sessions.find("k1")))
    assert.isTrue(Option.isSome(yield* sessions.find("k2")))
  }).pipe(Effect.provide(postgres))
)

it.effect("R5: stores only the hash of a token", () =>
  Effect.gen(function* () {
    yield* begin(UserId.make("hal"), "h1")
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly row: string }>`select refresh_token::text as row from refresh_token`
    assert.strictEqual(rows.length, 1)
    assert.notInclude(JSON.stringify(rows), "token of h1")
    assert.notInclude(JSON.stringify(rows), Buffer.from("token of h1").toString("hex"))
  }).pipe(Effect.provide(postgres))
)
