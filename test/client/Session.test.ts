/** Tests of wallet sessions against the authentication service, over real HTTP and a real database. */
import * as Session from "@venue/client/Session"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { AuthService, clientKey, layer } from "../gateway/auth/AuthService.ts"
import { serviceName, signInUri } from "../gateway/auth/SignInPage.ts"
import { wallet } from "../gateway/auth/Wallet.ts"

const place = Effect.map(AuthService, ({ issuer }) => ({ url: issuer, clientKey, serviceName, signInUri }))

const options = Effect.map(place, (place) => {
  const { address, sign } = wallet()
  return { ...place, wallet: { address, signMessage: sign } }
})

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("a session", (it) => {
  it.effect(
    "signs in with a wallet, resumes the session from its refresh token, and ends the session on sign-out",
    () =>
      Effect.gen(function* () {
        const settings = yield* options
        const { get } = yield* AuthService
        const first = yield* Session.signIn(settings)
        const bearer = Effect.map(first.accessToken, (token) => `Bearer ${Redacted.value(token)}`)
        expect((yield* get("/user", { authorization: yield* bearer })).body.id).toBe(first.userId)

        const refreshToken = yield* first.refreshToken
        const resumed = yield* Session.resume({ ...settings, refreshToken })
        expect(resumed.userId).toBe(first.userId)
        yield* resumed.signOut
        expect(
          yield* Effect.flip(Session.resume({ ...settings, refreshToken: yield* resumed.refreshToken }))
        ).toMatchObject({
          _tag: "SignInRefused",
          code: "session_not_found"
        })
      }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect(
    "keeps an access token until its last minute, and refreshes it only once for several concurrent callers",
    () =>
      Effect.gen(function* () {
        const clock = yield* TestClock.make()
        yield* clock.setTime(yield* Clock.currentTimeMillis)
        yield* Effect.gen(function* () {
          const session = yield* Session.signIn(yield* options)
          const first = yield* session.accessToken
          const refreshToken = Redacted.value(yield* session.refreshToken)
          yield* clock.adjust("58 minutes")
          expect(Redacted.value(yield* session.accessToken)).toBe(Redacted.value(first))
          yield* clock.adjust("1 minute")
          const tokens = yield* Effect.replicateEffect(session.accessToken, 5, { concurrency: "unbounded" })
          const texts = new Set(tokens.map((token) => Redacted.value(token)))
          expect(texts.size).toBe(1)
          expect(texts.has(Redacted.value(first))).toBe(false)
          expect(Redacted.value(yield* session.refreshToken)).not.toBe(refreshToken)
        }).pipe(Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("returns AuthUnavailable if the service is unreachable, and otherwise the service's own error", () =>
    Effect.gen(function* () {
      const settings = yield* options
      expect(yield* Effect.flip(Session.signIn({ ...settings, serviceName: "Another" }))).toMatchObject({
        _tag: "SignInRefused",
        code: "invalid_grant"
      })
      expect(yield* Effect.flip(Session.signIn({ ...settings, url: "http://127.0.0.1:1" }))).toMatchObject({
        _tag: "AuthUnavailable"
      })
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
