import { Authorize } from "@venue/auth/oauth/Authorize"
import { Consents } from "@venue/auth/oauth/Consents"
import { Audit } from "@venue/storage/access/Audit"
import { Grants } from "@venue/storage/access/Grants"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Sessions } from "@venue/storage/access/Sessions"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, type Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import * as OAuth from "./OAuthServices.ts"

const minute = 60_000

const suite = (name: string, services: Layer.Layer<OAuth.Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("redirects with code, state and issuer after approval", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const id = yield* OAuth.requestId(client, { nonce: "a nonce" })
        assert.match(Redacted.value(id), /^[0-9a-zA-Z]{32}$/)
        assert.deepStrictEqual(yield* authorize.details(caller, id), {
          _tag: "Details",
          redirectUri: OAuth.redirectUri,
          client: {
            clientId: client.clientId,
            name: "Example App",
            clientUri: null,
            logoUri: "https://rp.example/logo.png"
          },
          userId: caller.userId,
          scope: "openid email"
        })
        const answered = yield* authorize.decide(caller, id, "approve")
        const { origin, pathname, searchParams } = OAuth.answerOf(answered)
        assert.strictEqual(origin + pathname, OAuth.redirectUri)
        assert.deepStrictEqual([...searchParams.keys()], ["code", "state", "iss"])
        assert.match(searchParams.get("code")!, /^[\w-]{43}$/)
        assert.strictEqual(searchParams.get("state"), "a state")
        assert.strictEqual(searchParams.get("iss"), OAuth.issuer)
        const [deed] = yield* (yield* Audit).about(caller.userId)
        assert.deepInclude(deed, { action: "application_authorised", actor: caller.userId })
        assert.notInclude(JSON.stringify(deed), searchParams.get("code")!)
      })
    )

    it.effect("redirects with `access_denied` after a denial, and grants nothing", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const redirect_uri = "https://rp.example/cb?tenant=7"
        const id = yield* OAuth.requestId(client, { redirect_uri })
        const url = Redacted.value((yield* authorize.decide(caller, id, "deny")).redirectUrl)
        const iss = encodeURIComponent(OAuth.issuer)
        assert.strictEqual(url, `${redirect_uri}&error=access_denied&state=a%20state&iss=${iss}`)
        assert.isTrue(Option.isNone(yield* (yield* Grants).find(caller.userId, client.clientId)))
      })
    )

    it.effect("A5: rejects a second decision on a request", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register({ type: "public" })
        const caller = yield* OAuth.signedIn
        for (const first of ["approve", "deny"] as const) {
          const id = yield* OAuth.requestId(client)
          yield* authorize.decide(caller, id, first)
          for (const again of [
            authorize.decide(caller, id, "approve"),
            authorize.decide(caller, id, "deny"),
            authorize.details(caller, id)
          ]) {
            assert.strictEqual((yield* Effect.flip(again))._tag, "AlreadyDecided")
          }
        }
        const deeds = yield* (yield* Audit).about(caller.userId)
        assert.strictEqual(deeds.filter(({ action }) => action === "application_authorised").length, 1)
      })
    )

    it.effect("A5: hides a request from every user except the first user who opened it", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const [caller, other] = [yield* OAuth.signedIn, yield* OAuth.signedIn]
        const id = yield* OAuth.requestId(client)
        yield* authorize.details(caller, id)
        for (const refused of [
          authorize.details(other, id),
          authorize.decide(other, id, "approve"),
          authorize.decide(other, id, "deny"),
          authorize.details(caller, Redacted.make("f".repeat(32))),
          authorize.details(caller, Redacted.make(""))
        ]) {
          assert.strictEqual((yield* Effect.flip(refused))._tag, "AuthorizationNotFound")
        }
        yield* authorize.decide(caller, id, "approve")
      })
    )

    it.effect("A5: rejects a request that is older than ten minutes", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const [early, late] = [yield* OAuth.requestId(client), yield* OAuth.requestId(client)]
        yield* TestClock.adjust(10 * minute - 1)
        yield* authorize.decide(caller, early, "approve")
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* Effect.flip(authorize.details(caller, late)))._tag, "AuthorizationNotFound")
        const refused = yield* Effect.flip(authorize.decide(caller, late, "approve"))
        assert.strictEqual(refused._tag, "AuthorizationNotFound")
      })
    )

    it.effect("A5: rejects an application's decision on a request", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        const id = yield* OAuth.requestId(client)
        for (const refused of [
          authorize.details(OAuth.claimsOf(issued), id),
          authorize.decide(OAuth.claimsOf(issued), id, "approve")
        ]) {
          assert.strictEqual((yield* Effect.flip(refused))._tag, "ApplicationMayNotConsent")
        }
        yield* authorize.decide(caller, id, "approve")
      })
    )

    it.effect("A5: if the user has a second factor, requires the second factor in both the token and the session", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const before = yield* OAuth.signedIn
        const after = yield* OAuth.secured(before)
        const id = yield* OAuth.requestId(client)
        const later = yield* OAuth.signInOf(before.userId)
        for (const lesser of [before, later, { ...later, aal: "aal2" as const }]) {
          for (const refused of [authorize.details(lesser, id), authorize.decide(lesser, id, "approve")]) {
            assert.strictEqual((yield* Effect.flip(refused))._tag, "InsufficientAal")
          }
        }
        assert.isTrue(Option.isNone(yield* (yield* Grants).find(before.userId, client.clientId)))
        const code = OAuth.codeOf(yield* authorize.decide(after, id, "approve"))
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        assert.strictEqual(issued.session.aal, "aal2")
        assert.deepStrictEqual(
          issued.session.amr.map(({ method }) => method),
          ["oauth_provider/authorization_code", "totp", "web3"]
        )
      })
    )

    it.effect(
      "rejects a consent decision if the session has ended, even if the session's access token is still valid",
      () =>
        Effect.gen(function* () {
          const authorize = yield* Authorize
          const { client } = yield* OAuth.register()
          const caller = yield* OAuth.signedIn
          const id = yield* OAuth.requestId(client)
          yield* (yield* Sessions).end([caller.sessionId])
          assert.strictEqual((yield* Effect.flip(authorize.decide(caller, id, "approve")))._tag, "SessionEnded")
          yield* authorize.decide(yield* OAuth.signInOf(caller.userId), id, "approve")
        })
    )

    it.effect("issues no code to an application that was disabled after the request", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const id = yield* OAuth.requestId(client)
        yield* (yield* OAuthClients).disable(client.clientId)
        const refused = yield* Effect.flip(authorize.decide(caller, id, "approve"))
        assert.strictEqual(refused._tag, "AuthorizationNotFound")
      })
    )

    it.effect("A6: approves a confidential application immediately if the user granted its scopes before", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        yield* OAuth.approvedCode(caller, client, { scope: "openid email" })
        for (const scope of ["openid email", "email", undefined]) {
          const again = yield* authorize.details(caller, yield* OAuth.requestId(client, { scope }))
          assert.strictEqual(again._tag, "Answered")
          if (again._tag === "Answered") {
            const { issued } = yield* OAuth.exchange(client, OAuth.redemption(OAuth.codeOf(again)))
            assert.strictEqual(issued.scope, scope ?? "email")
          }
        }
        const other = yield* authorize.details(yield* OAuth.signedIn, yield* OAuth.requestId(client))
        assert.strictEqual(other._tag, "Details")
      })
    )

    it.effect("A6: requires new consent, despite an earlier grant, if the application sends `prompt=consent`", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const shown = (prompt: string) =>
          Effect.gen(function* () {
            return (yield* authorize.details(caller, yield* OAuth.requestId(client, { prompt })))._tag
          })
        yield* OAuth.approvedCode(caller, client)
        assert.strictEqual(yield* shown("select_account"), "Answered")
        assert.strictEqual(yield* shown("consent"), "Details")
        assert.strictEqual(yield* shown("select_account consent"), "Details")
      })
    )

    it.effect("rejects a sign-in older than `max_age`, and accepts the same request after a new sign-in", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        yield* OAuth.approvedCode(caller, client)
        yield* TestClock.adjust("5 minutes")
        yield* authorize.decide(caller, yield* OAuth.requestId(client, { max_age: "300" }), "approve")
        for (const freshness of [{ max_age: "299" }, { max_age: "0" }, { prompt: "login" }]) {
          const id = yield* OAuth.requestId(client, freshness)
          for (const refused of [
            authorize.details(caller, id),
            authorize.decide(caller, id, "approve"),
            authorize.decide(caller, id, "deny")
          ]) {
            assert.strictEqual((yield* Effect.flip(refused))._tag, "SignInTooOld")
          }
          // The request is not yet bound to a user, so another user can decide it.
          const again = yield* OAuth.signedIn
          yield* authorize.decide(again, id, "approve")
        }
      })
    )

    it.effect("accepts a sign-in that took place after the request, even if the request sends `max_age=0`", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const { userId } = yield* OAuth.signedIn
        yield* TestClock.adjust("1 hour")
        const id = yield* OAuth.requestId(client, { max_age: "0" })
        yield* TestClock.adjust("2 seconds")
        const again = yield* OAuth.signInOf(userId)
        const signedInAtSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        yield* TestClock.adjust("3 minutes")
        const code = OAuth.codeOf(yield* authorize.decide(again, id, "approve"))
        const { idToken } = yield* OAuth.exchange(client, OAuth.redemption(code))
        assert.strictEqual(decodeJwt(Redacted.value(idToken!))["auth_time"], signedInAtSeconds)
      })
    )

    it.effect("A6: requires new consent for additional scopes, and adds them to the grant", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const shown = (scope: string) =>
          Effect.gen(function* () {
            return (yield* authorize.details(caller, yield* OAuth.requestId(client, { scope })))._tag
          })
        yield* OAuth.approvedCode(caller, client, { scope: "openid email" })
        assert.strictEqual(yield* shown("openid email profile"), "Details")
        yield* OAuth.approvedCode(caller, client, { scope: "profile" })
        assert.strictEqual(yield* shown("openid email profile"), "Answered")
        yield* (yield* Consents).withdraw(caller.userId, client.clientId)
        assert.strictEqual(yield* shown("openid"), "Details")
      })
    )

    it.effect("A6: always requires consent for a public application, because anyone can imitate one", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register({ type: "public" })
        const caller = yield* OAuth.signedIn
        yield* OAuth.approvedCode(caller, client)
        assert.strictEqual((yield* authorize.details(caller, yield* OAuth.requestId(client)))._tag, "Details")
      })
    )

    it.effect("A7: issues one code for ten concurrent approvals", () =>
      Effect.gen(function* () {
        const authorize = yield* Authorize
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const id = yield* OAuth.requestId(client)
        const approve = Effect.exit(authorize.decide(caller, id, "approve"))
        const exits = yield* Effect.all(
          Array.from({ length: 10 }, () => approve),
          { concurrency: "unbounded" }
        )
        const [approved, ...others] = exits.filter(Exit.isSuccess)
        assert.deepStrictEqual(others, [])
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(OAuth.codeOf(approved!.value)))
        assert.strictEqual(issued.session.userId, caller.userId)
        const deeds = yield* (yield* Audit).about(caller.userId)
        assert.strictEqual(deeds.filter(({ action }) => action === "application_authorised").length, 1)
      })
    )
  })

suite("Authorize in memory", OAuth.memory)
suite("Authorize on Postgres", OAuth.postgres)
