import { claimsOf, InvalidToken } from "@venue/auth/session/AccessToken"
import { Bearers } from "@venue/auth/session/Bearers"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserId } from "@venue/domain/UserId"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { Sessions } from "@venue/storage/access/Sessions"
import { Users } from "@venue/storage/access/Users"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { issuer, memory, postgres, type Services } from "./SessionServices.ts"

const begin = Effect.gen(function* () {
  yield* TestClock.setTime(1_000_000)
  const userId = yield* (yield* SecureRandom.SecureRandom).uuidV4()
  yield* (yield* Users).create({ userId: UserId.make(userId), name: "" })
  const issued = yield* (yield* SessionTokens).begin({
    userId: UserId.make(userId),
    clientId: null,
    publicClient: false,
    scope: null,
    method: "web3"
  })
  return { userId: UserId.make(userId), session: issued.session, token: Redacted.value(issued.accessToken) }
})

const operator = { actor: "operator", reason: "a test" }

const replaceKey = Effect.gen(function* () {
  const rotation = yield* KeyRotation
  yield* rotation.activate(yield* rotation.standby(operator), { emergency: true }, operator)
})

/** Runs `work` and waits until its revocation is published. */
const untilAnnounced = <A, E, R>(subject: string, work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const announced = yield* Deferred.make<void>()
      yield* (yield* Revocations).watch((revocation) => {
        if (revocation.subject === subject) Deferred.doneUnsafe(announced, Effect.void)
      })
      yield* work
      yield* Deferred.await(announced)
    })
  )

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("accepts a token for one hour while its session lasts", () =>
      Effect.gen(function* () {
        const { session, token, userId } = yield* begin
        const bearers = yield* Bearers
        const claims = yield* bearers.verify(token)
        assert.deepInclude(claims, { userId: UserId.make(userId), sessionId: session.sessionId, aal: "aal1" })
        assert.strictEqual(yield* bearers.verify(token), claims)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* bearers.verify(token), claims)
        yield* TestClock.adjust("5 seconds")
        assert.deepInclude(yield* Effect.flip(bearers.verify(token)), { _tag: "InvalidToken", reason: "expired" })
      })
    )

    it.effect("U1: rejects a cached token immediately after its session has ended", () =>
      Effect.gen(function* () {
        const { session, token } = yield* begin
        const other = yield* begin
        const bearers = yield* Bearers
        yield* bearers.verify(token)
        yield* bearers.verify(other.token)
        yield* untilAnnounced(session.sessionId, (yield* Sessions).end([session.sessionId]))
        const refused = yield* Effect.flip(bearers.verify(token))
        assert.deepInclude(refused, { _tag: "SessionEnded", sessionId: session.sessionId })
        yield* bearers.verify(other.token)
      })
    )

    it.effect("returns the first assurance level once the removal of the second factor is announced", () =>
      Effect.gen(function* () {
        const { session, userId } = yield* begin
        const bearers = yield* Bearers
        const tokens = yield* SessionTokens
        const raised = yield* tokens.raise(session.sessionId, "totp")
        const token = Redacted.value(raised.accessToken)
        assert.strictEqual((yield* bearers.verify(token)).aal, "aal2")
        yield* tokens.lower(UserId.make(userId))
        yield* untilAnnounced(userId, (yield* Revocations).announce({ kind: "user", subject: userId }))
        assert.strictEqual((yield* bearers.verify(token)).aal, "aal1")
      })
    )

    it.effect("rejects a token of an unknown session, or of another user's session", () =>
      Effect.gen(function* () {
        const { session } = yield* begin
        const other = yield* begin
        const bearers = yield* Bearers
        const signed = (claims: Pick<typeof session, "sessionId" | "userId">) =>
          Effect.flatMap(SigningKeys, (keys) =>
            keys.sign(
              claimsOf({ ...session, ...claims }, { issuer, tokenId: "1", scope: null, issuedAtSeconds: 1_000 }),
              "at+jwt"
            )
          )
        const nowhere = yield* signed({ userId: session.userId, sessionId: other.userId })
        assert.strictEqual((yield* Effect.flip(bearers.verify(nowhere)))._tag, "SessionEnded")
        const stolen = yield* signed({ userId: UserId.make(other.userId), sessionId: session.sessionId })
        assert.strictEqual((yield* Effect.flip(bearers.verify(stolen)))._tag, "InvalidToken")
      })
    )

    it.effect(
      "D2: rejects a token signed with a removed key once the removal is announced, even before the node reloads its keys",
      () =>
        Effect.gen(function* () {
          const { session, token } = yield* begin
          const bearers = yield* Bearers
          const keys = yield* SigningKeys
          const { kid } = yield* bearers.verify(token)
          const unseen = yield* keys.sign(
            claimsOf(session, { issuer, tokenId: "1", scope: null, issuedAtSeconds: 1_000 }),
            "at+jwt"
          )
          yield* replaceKey
          yield* untilAnnounced(kid, (yield* Revocations).announce({ kind: "signing_key", subject: kid }))
          for (const old of [token, unseen]) {
            assert.deepInclude(yield* Effect.flip(bearers.verify(old)), { reason: "unknown_key" })
          }
          yield* bearers.verify((yield* begin).token)
          yield* (yield* KeyRotation).remove(kid, { emergency: true }, operator)
        })
    )

    it.effect(
      "D2: rejects an ID token used as a bearer token, and rejects a cached token once its signing key is removed",
      () =>
        Effect.gen(function* () {
          const { session, token } = yield* begin
          const bearers = yield* Bearers
          const keys = yield* SigningKeys
          const claims = claimsOf(session, { issuer, tokenId: "1", scope: null, issuedAtSeconds: 1_000 })
          const idToken = yield* keys.sign({ ...claims, aud: "7c1d" }, "JWT")
          assert.instanceOf(yield* Effect.flip(bearers.verify(idToken)), InvalidToken)
          yield* bearers.verify(token)
          const { kid } = (yield* keys.jwks).keys[0]!
          yield* replaceKey
          yield* bearers.verify(token)
          yield* (yield* KeyRotation).remove(kid, { emergency: true }, operator)
          assert.deepInclude(yield* Effect.flip(bearers.verify(token)), { reason: "unknown_key" })
        })
    )
  })

suite("Bearers in memory", memory)
suite("Bearers on Postgres", postgres)

describe("Bearers", () => {
  it.effect("does not cache a session lookup that was in flight when the session was revoked", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(memory)
      const real = Context.get(services, Sessions)
      const hasStarted = yield* Deferred.make<void>()
      const mayAnswer = yield* Deferred.make<void>()
      /** Reads the session at once, and returns it late. */
      const slow = Sessions.of({
        ...real,
        find: (sessionId) =>
          real.find(sessionId).pipe(
            Effect.tap(() => Deferred.succeed(hasStarted, undefined)),
            Effect.tap(() => Deferred.await(mayAnswer))
          )
      })
      yield* Effect.gen(function* () {
        const { session, token } = yield* begin
        const bearers = yield* Bearers
        const first = yield* Effect.forkChild(bearers.verify(token))
        yield* Deferred.await(hasStarted)
        yield* real.end([session.sessionId])
        yield* Deferred.succeed(mayAnswer, undefined)
        yield* Fiber.join(first)
        assert.strictEqual((yield* Effect.flip(bearers.verify(token)))._tag, "SessionEnded")
      }).pipe(
        Effect.provide(Layer.fresh(Bearers.layer({ issuer })).pipe(Layer.provide(Layer.succeed(Sessions, slow)))),
        Effect.provide(services)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("I40: bypasses the token cache while revocations arrive more than three seconds late", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(memory)
      const real = Context.get(services, Sessions)
      let delayMillis = 0
      let find = real.find
      const deaf = Layer.succeed(
        Revocations,
        Revocations.of({
          ...Context.get(services, Revocations),
          watch: () => Effect.void,
          delayMillis: () => delayMillis
        })
      )
      const sessions = Layer.succeed(Sessions, Sessions.of({ ...real, find: (sessionId) => find(sessionId) }))
      yield* Effect.gen(function* () {
        const [ended, live] = [yield* begin, yield* begin]
        const bearers = yield* Bearers
        const claims = yield* bearers.verify(ended.token)
        yield* bearers.verify(live.token)
        yield* real.end([ended.session.sessionId])

        delayMillis = 3_000
        assert.strictEqual(yield* bearers.verify(ended.token), claims)
        delayMillis = 3_001
        assert.strictEqual((yield* Effect.flip(bearers.verify(ended.token)))._tag, "SessionEnded")
        yield* bearers.verify(live.token)
        find = () => Effect.fail(new DatabaseUnavailable({ cause: "a test" }))
        assert.strictEqual((yield* Effect.flip(bearers.verify(live.token)))._tag, "DatabaseUnavailable")
        find = () => Effect.never
        const silent = yield* Effect.forkChild(Effect.flip(bearers.verify(live.token)))
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* Fiber.join(silent))._tag, "DatabaseUnavailable")

        delayMillis = 0
        yield* bearers.verify(live.token)
      }).pipe(
        Effect.provide(Layer.fresh(Bearers.layer({ issuer })).pipe(Layer.provide([deaf, sessions]))),
        Effect.provide(services)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("evicts the oldest tokens from a full cache, and verifies an evicted token again on its next use", () =>
    Effect.gen(function* () {
      const services = yield* Layer.build(memory)
      const real = Context.get(services, Sessions)
      let lookups = 0
      const counting = Sessions.of({
        ...real,
        find: (sessionId) =>
          Effect.suspend(() => {
            lookups++
            return real.find(sessionId)
          })
      })
      yield* Effect.gen(function* () {
        const { session, token } = yield* begin
        const bearers = yield* Bearers
        const keys = yield* SigningKeys
        yield* bearers.verify(token)
        yield* bearers.verify(token)
        assert.strictEqual(lookups, 1)
        for (let n = 0; n < 1_000; n++) {
          const claims = claimsOf(session, { issuer, tokenId: String(n), scope: null, issuedAtSeconds: 1_000 })
          yield* bearers.verify(yield* keys.sign(claims, "at+jwt"))
        }
        yield* bearers.verify(token)
        assert.strictEqual(lookups, 1_002)
      }).pipe(
        Effect.provide(
          Layer.fresh(Bearers.layer({ issuer, capacity: 1_000 })).pipe(Layer.provide(Layer.succeed(Sessions, counting)))
        ),
        Effect.provide(services)
      )
    }).pipe(Effect.scoped)
  )
})
