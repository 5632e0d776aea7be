import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { UserStates } from "@venue/storage/access/UserStates"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { again, begin, claimsIn, find, own, refresh, refusal, start } from "./Refreshes.ts"
import { issuer, memory, postgres, serverKey, type Services } from "./SessionServices.ts"

const day = 24 * 60 * 60 * 1000

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("R8: issues tokens that expire after one hour, with times in whole seconds", () =>
      Effect.gen(function* () {
        const { session } = yield* begin()
        yield* TestClock.setTime(start + 1_999)
        const { accessToken, expiresAtSeconds, expiresInSeconds } = yield* again(session.userId)
        const claims = claimsIn(accessToken)
        assert.deepInclude(claims, { iat: 1_001, exp: 4_601, sub: session.userId })
        assert.strictEqual(expiresAtSeconds, 4_601)
        assert.strictEqual(expiresInSeconds, 3_600)
      })
    )

    it.effect("a new session lists its authentication methods, latest first", () =>
      Effect.gen(function* () {
        const web3 = { method: "web3", timestamp: 7 }
        const { accessToken, session } = yield* begin({
          clientId: "app",
          scope: "openid email",
          method: "oauth_provider/authorization_code",
          aal: "aal2",
          amr: [web3]
        })
        assert.deepStrictEqual(yield* find(session.sessionId), session)
        assert.deepInclude(claimsIn(accessToken), {
          aal: "aal2",
          amr: [{ method: "oauth_provider/authorization_code", timestamp: 1_000 }, web3],
          client_id: "app",
          scope: "openid email",
          session_id: session.sessionId
        })
      })
    )

    it.effect("R4: rejects a malformed or unknown token, and names the reason", () =>
      Effect.gen(function* () {
        const { refreshToken, session } = yield* begin()
        const text = Redacted.value(refreshToken)
        for (const wrong of ["", "vrt_", text.slice(4), text.slice(1), `${text}A`, ` ${text}`, `${text}\n`, "空"]) {
          assert.strictEqual(yield* refusal(Redacted.make(wrong)), "malformed", wrong)
        }
        assert.strictEqual(yield* refusal(Redacted.make("vrt_".padEnd(100_000, "A"))), "malformed")
        assert.strictEqual(yield* refusal(Redacted.make("vrt_".padEnd(47, "A"))), "not_found")
        assert.strictEqual((yield* find(session.sessionId)).refreshedAtMillis, start)
        yield* refresh(refreshToken)
      })
    )

    it.effect("R4: rejects a signed-out session's token, and names the reason", () =>
      Effect.gen(function* () {
        const { refreshToken, session } = yield* begin()
        yield* (yield* Sessions).end([session.sessionId])
        assert.strictEqual(yield* refusal(refreshToken), "session_ended")
      })
    )

    it.effect("R4: rejects a frozen user, and accepts the same token after unfreezing", () =>
      Effect.gen(function* () {
        const { refreshToken, session } = yield* begin()
        const states = yield* UserStates
        yield* states.freeze(session.userId)
        assert.strictEqual(yield* refusal(refreshToken), "user_frozen")
        assert.deepStrictEqual(yield* find(session.sessionId), session)
        yield* states.unfreeze(session.userId)
        yield* refresh(refreshToken)
      })
    )

    it.effect("R4: a repeated refresh token counts as activity, and resets the session's idle time", () =>
      Effect.gen(function* () {
        const { refreshToken, session } = yield* begin()
        const first = yield* refresh(refreshToken)
        for (const days of [29, 58, 87]) {
          yield* TestClock.setTime(start + days * day)
          const again = yield* refresh(refreshToken)
          assert.deepStrictEqual(again.refreshToken, first.refreshToken)
          assert.strictEqual((yield* find(session.sessionId)).refreshedAtMillis, start + days * day)
        }
      })
    )

    it.effect(
      "R6: accepts an application's token only from that application, and a user's own token from no application",
      () =>
        Effect.gen(function* () {
          const mine = yield* begin()
          const confidential = yield* again(mine.session.userId, { clientId: "app" })
          const publicly = yield* again(mine.session.userId, { clientId: "cli", publicClient: true })
          const form = { clientId: null, allowPublicForm: true }
          assert.strictEqual(yield* refusal(mine.refreshToken, { clientId: "app" }), "wrong_client")
          for (const by of [own, form, { clientId: "cli" }, { clientId: "cli", allowPublicForm: true }]) {
            assert.strictEqual(yield* refusal(confidential.refreshToken, by), "wrong_client")
          }
          assert.strictEqual(yield* refusal(publicly.refreshToken, own), "wrong_client")
          yield* refresh(mine.refreshToken, form)
          yield* refresh(confidential.refreshToken, { clientId: "app" })
          yield* refresh(publicly.refreshToken, form)
        })
    )

    it.effect("R6: does not end the session if another application sends a used refresh token of that session", () =>
      Effect.gen(function* () {
        const first = yield* begin({ clientId: "app" })
        const second = yield* refresh(first.refreshToken, { clientId: "app" })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* refusal(first.refreshToken, { clientId: "other" }), "wrong_client")
        yield* refresh(second.refreshToken, { clientId: "app" })
      })
    )

    it.effect("T5: a refresh can narrow the scope of one access token, but leaves the session's scope unchanged", () =>
      Effect.gen(function* () {
        const first = yield* begin({ clientId: "app", scope: "openid email" })
        assert.strictEqual(
          yield* refusal(first.refreshToken, { clientId: "app", scope: "openid phone" }),
          "invalid_scope"
        )
        const narrow = yield* refresh(first.refreshToken, { clientId: "app", scope: "email" })
        assert.strictEqual(narrow.scope, "email")
        assert.strictEqual(claimsIn(narrow.accessToken).scope, "email")
        const full = yield* refresh(narrow.refreshToken, { clientId: "app" })
        assert.strictEqual(full.scope, "openid email")
      })
    )

    it.effect("R7: verifying a second factor immediately invalidates the access token that was issued before", () =>
      Effect.gen(function* () {
        const first = yield* begin()
        const tokens = yield* SessionTokens
        yield* TestClock.adjust("5 seconds")
        const raised = yield* tokens.raise(first.session.sessionId, "totp")
        assert.deepInclude(claimsIn(raised.accessToken), {
          aal: "aal2",
          amr: [
            { method: "totp", timestamp: 1_005 },
            { method: "web3", timestamp: 1_000 }
          ]
        })
        const next = yield* refresh(raised.refreshToken)
        assert.strictEqual(next.session.aal, "aal2")
        assert.strictEqual(claimsIn(next.accessToken).aal, "aal2")
        assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
      })
    )

    it.effect(
      "R7, I43: once a second factor is verified, the session's earlier unused refresh token and its parent are rejected",
      () =>
        Effect.gen(function* () {
          const first = yield* begin()
          const second = yield* refresh(first.refreshToken)
          yield* (yield* SessionTokens).raise(first.session.sessionId, "recovery_code")
          assert.strictEqual(yield* refusal(second.refreshToken), "already_used")
          assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
          assert.isNotNull((yield* find(first.session.sessionId)).endedAtMillis)
        })
    )

    it.effect(
      "R7: an unused refresh token from before the second factor's verification is rejected without ending the session",
      () =>
        Effect.gen(function* () {
          const first = yield* begin()
          const raised = yield* (yield* SessionTokens).raise(first.session.sessionId, "totp")
          assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
          const next = yield* refresh(raised.refreshToken)
          assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
          assert.strictEqual((yield* refresh(next.refreshToken)).session.aal, "aal2")
        })
    )

    it.effect(
      "verifying a second factor ends the user's other first-level sessions, but no other user's sessions",
      () =>
        Effect.gen(function* () {
          const tokens = yield* SessionTokens
          const stranger = yield* begin()
          const first = yield* begin()
          const { userId } = first.session
          const proven = yield* again(userId, { aal: "aal2" })
          const unproven = yield* again(userId)
          yield* tokens.raise(first.session.sessionId, "totp")
          assert.strictEqual(yield* refusal(unproven.refreshToken), "session_ended")
          yield* refresh(proven.refreshToken)
          yield* refresh(stranger.refreshToken)
        })
    )

    it.effect("does not deadlock when several sessions verify a factor concurrently", () =>
      Effect.gen(function* () {
        const { session } = yield* begin()
        const more = yield* Effect.forEach([1, 2, 3, 4], () => again(session.userId))
        const ids = [session, ...more.map((issued) => issued.session)].map(({ sessionId }) => sessionId)
        const tokens = yield* SessionTokens
        const raises = yield* Effect.all(
          ids.map((sessionId) => Effect.result(tokens.raise(sessionId, "totp"))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(raises.filter(({ _tag }) => _tag === "Success").length, 1)
        assert.strictEqual((yield* (yield* Sessions).ofUser(session.userId)).length, 1)
      })
    )

    it.effect("does not raise the assurance level of an ended or unknown session", () =>
      Effect.gen(function* () {
        const tokens = yield* SessionTokens
        const { session } = yield* begin()
        yield* (yield* Sessions).end([session.sessionId])
        for (const sessionId of [session.sessionId, "unknown"]) {
          assert.strictEqual((yield* Effect.flip(tokens.raise(sessionId, "totp")))._tag, "SessionEnded")
        }
        assert.strictEqual((yield* find(session.sessionId)).aal, "aal1")
      })
    )

    it.effect("removing the second factor lowers the assurance level of sessions without ending them", () =>
      Effect.gen(function* () {
        const tokens = yield* SessionTokens
        const { session } = yield* begin()
        const raised = yield* tokens.raise(session.sessionId, "totp")
        yield* tokens.lower(session.userId)
        const lowered = yield* refresh(raised.refreshToken)
        assert.deepInclude(lowered.session, { aal: "aal1", amr: [{ method: "web3", timestamp: 1_000 }] })
        assert.strictEqual(claimsIn(lowered.accessToken).aal, "aal1")
      })
    )

    it.effect("leaves no session if the transaction that started it fails", () =>
      Effect.gen(function* () {
        const { session } = yield* begin()
        const { run } = yield* Transaction
        const issued = yield* Effect.flip(run(Effect.flatMap(again(session.userId), Effect.fail)))
        assert.isTrue("refreshToken" in issued)
        if ("refreshToken" in issued) assert.strictEqual(yield* refusal(issued.refreshToken), "not_found")
        assert.strictEqual((yield* (yield* Sessions).ofUser(session.userId)).length, 1)
      })
    )
  })

suite("SessionTokens in memory", memory)
suite("SessionTokens on Postgres", postgres)

describe("SessionTokens on Postgres", () => {
  it.effect(
    "a refresh fails after waiting five seconds for the session's lock, and changes nothing",
    () =>
      Effect.gen(function* () {
        const { refreshToken, session } = yield* begin()
        const sessions = yield* Sessions
        const { run } = yield* Transaction
        const isLocked = yield* Deferred.make<void>()
        const mayGo = yield* Deferred.make<void>()
        const keeper = yield* sessions
          .lock(session.sessionId)
          .pipe(
            Effect.andThen(Deferred.succeed(isLocked, undefined)),
            Effect.andThen(Deferred.await(mayGo)),
            run,
            Effect.forkChild
          )
        yield* Deferred.await(isLocked)
        assert.strictEqual(yield* refusal(refreshToken), "busy")
        yield* Deferred.succeed(mayGo, undefined)
        yield* Fiber.join(keeper)
        yield* refresh(refreshToken)
      }).pipe(Effect.provide(postgres), Effect.scoped),
    900_000
  )
})

describe("SessionTokens", () => {
  it.effect("R4: ends a session after thirty idle days, and in any case after ninety days", () =>
    Effect.gen(function* () {
      const idle = yield* begin()
      let kept = yield* again(idle.session.userId)
      yield* TestClock.setTime(start + 30 * day - 1)
      kept = yield* refresh(kept.refreshToken)
      yield* TestClock.setTime(start + 30 * day)
      assert.strictEqual(yield* refusal(idle.refreshToken), "session_expired")
      for (const days of [59, 88]) {
        yield* TestClock.setTime(start + days * day)
        kept = yield* refresh(kept.refreshToken)
      }
      yield* TestClock.setTime(start + 90 * day - 1)
      kept = yield* refresh(kept.refreshToken)
      yield* TestClock.setTime(start + 90 * day)
      assert.strictEqual(yield* refusal(kept.refreshToken), "session_expired")
    }).pipe(Effect.provide(memory), Effect.scoped)
  )

  it.effect("R4: rejects the refresh token of a deleted user", () =>
    Effect.gen(function* () {
      const { refreshToken, session } = yield* begin()
      const states = yield* UserStates
      const services = yield* Effect.context<Services>()
      const gone = UserStates.of({
        ...states,
        find: (userId) => Effect.map(states.find(userId), (state) => ({ ...state, exists: false }))
      })
      const tokens = yield* Layer.build(Layer.fresh(SessionTokens.layer({ issuer, serverKey }))).pipe(
        Effect.provide(Context.add(services, UserStates, gone))
      )
      const refused = yield* Effect.flip(Context.get(tokens, SessionTokens).refresh(refreshToken, own))
      assert.deepInclude(refused, { _tag: "RefreshRefused", reason: "user_gone" })
      assert.deepStrictEqual(yield* find(session.sessionId), session)
    }).pipe(Effect.provide(memory), Effect.scoped)
  )
})
