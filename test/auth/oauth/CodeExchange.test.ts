import { Bearers } from "@venue/auth/session/Bearers"
import { CodeExchange, type Redemption } from "@venue/auth/oauth/CodeExchange"
import { SecondFactor } from "@venue/auth/session/SecondFactor"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { Factors } from "@venue/storage/access/Factors"
import type { OAuthClient } from "@venue/storage/access/OAuthClients"
import { Profiles } from "@venue/storage/access/Profiles"
import { Sessions } from "@venue/storage/access/Sessions"
import { UserStates } from "@venue/storage/access/UserStates"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, jwtVerify } from "jose"
import { createHash } from "node:crypto"
import * as OAuth from "./OAuthServices.ts"

const refusal = (client: OAuthClient, presented: Redemption) =>
  Effect.map(Effect.flip(OAuth.exchange(client, presented)), (error) =>
    error._tag === "ExchangeRefused" ? error.reason : error._tag
  )

/** Returns the user's sessions that belong to applications. */
const sessionsOf = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* Sessions).ofUser(userId)).filter(({ clientId }) => clientId !== null)
  })

const isLive = (sessionId: string) =>
  Effect.gen(function* () {
    return Option.getOrThrow(yield* (yield* Sessions).find(sessionId)).endedAtMillis === null
  })

const refresh = (client: OAuthClient, token: Redacted.Redacted, scope?: string) =>
  Effect.flatMap(CodeExchange, (codes) => codes.refresh(client, token, scope))

const whyNot = (client: OAuthClient, token: Redacted.Redacted, scope?: string) =>
  Effect.map(Effect.flip(refresh(client, token, scope)), (error) =>
    error._tag === "DatabaseUnavailable" ? error._tag : error.reason
  )

const suite = (name: string, services: Layer.Layer<OAuth.Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    for (const type of ["confidential", "public"] as const) {
      it.effect(`T1: exchanges a ${type} application's code for a separate session`, () =>
        Effect.gen(function* () {
          yield* OAuth.start
          const { client } = yield* OAuth.register({ type })
          const caller = yield* OAuth.signedIn
          const code = yield* OAuth.approvedCode(caller, client)
          const { issued, scope } = yield* OAuth.exchange(client, OAuth.redemption(code))
          assert.strictEqual(scope, "openid email")
          assert.deepInclude(issued.session, {
            userId: caller.userId,
            clientId: client.clientId,
            publicClient: type === "public",
            scope: "openid email",
            aal: "aal1",
            endedAtMillis: null
          })
          assert.notStrictEqual(issued.session.sessionId, caller.sessionId)
          const claims = yield* (yield* Bearers).verify(Redacted.value(issued.accessToken))
          assert.deepInclude(claims, { userId: caller.userId, clientId: client.clientId, scope: "openid email" })
          const [deed] = yield* (yield* Audit).about(caller.userId)
          assert.deepInclude(deed, { action: "code_exchanged", actor: caller.userId })
        })
      )
    }

    it.effect("T2, I44: rejects the second use of a code, and ends the session that the first use started", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        const { sessionId } = issued.session
        assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "used_code")
        assert.isFalse(yield* isLive(sessionId))
        assert.strictEqual(yield* whyNot(client, issued.refreshToken), "session_ended")
        const bearer = yield* Effect.flip((yield* Bearers).verify(Redacted.value(issued.accessToken)))
        assert.strictEqual(bearer._tag, "SessionEnded")
        assert.isTrue(yield* isLive(caller.sessionId))
        const [deed] = yield* (yield* Audit).about(caller.userId)
        assert.deepInclude(deed, { action: "code_reused", facts: { clientId: client.clientId, sessionId } })
        assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "used_code")
      })
    )

    it.effect(
      "T2, I44: detects the second use of a code even long after the code's expiry and with a wrong verifier",
      () =>
        Effect.gen(function* () {
          const { client } = yield* OAuth.register()
          const code = yield* OAuth.approvedCode(yield* OAuth.signedIn, client)
          const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
          yield* TestClock.adjust("23 hours")
          const codeVerifier = Redacted.make("x".repeat(43))
          assert.strictEqual(yield* refusal(client, OAuth.redemption(code, { codeVerifier })), "used_code")
          assert.isFalse(yield* isLive(issued.session.sessionId))
        })
    )

    it.effect(
      "T2, I44: accepts one of ten concurrent exchanges of a code, and then ends its session because the code was reused",
      () =>
        Effect.gen(function* () {
          const { client } = yield* OAuth.register()
          const caller = yield* OAuth.signedIn
          const code = yield* OAuth.approvedCode(caller, client)
          const exchange = Effect.exit(OAuth.exchange(client, OAuth.redemption(code)))
          const exits = yield* Effect.all(
            Array.from({ length: 10 }, () => exchange),
            { concurrency: "unbounded" }
          )
          const [first, ...others] = exits.filter(Exit.isSuccess)
          assert.deepStrictEqual(others, [])
          assert.isFalse(yield* isLive(first!.value.issued.session.sessionId))
          assert.deepStrictEqual(yield* sessionsOf(caller.userId), [])
          const deeds = yield* (yield* Audit).about(caller.userId)
          assert.strictEqual(deeds.filter(({ action }) => action === "code_exchanged").length, 1)
        })
    )

    it.effect("T2: accepts a code for 60 seconds after consent", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const [early, late] = [yield* OAuth.approvedCode(caller, client), yield* OAuth.approvedCode(caller, client)]
        yield* TestClock.adjust(59_999)
        yield* OAuth.exchange(client, OAuth.redemption(early))
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* refusal(client, OAuth.redemption(late)), "expired_code")
        assert.isFalse(yield* OAuth.isUsed(late))
        assert.strictEqual((yield* sessionsOf(caller.userId)).length, 1)
      })
    )

    it.effect("T2, I44: rejects a code that another application sends, and leaves the code unused", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const { client: thief } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        assert.strictEqual(yield* refusal(thief, OAuth.redemption(code)), "unknown_code")
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        assert.strictEqual(yield* refusal(thief, OAuth.redemption(code)), "unknown_code")
        assert.isTrue(yield* isLive(issued.session.sessionId))
      })
    )

    it.effect("T2, I44: rejects a code sent with wrong parameters, and marks the code as used", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const wrong: ReadonlyArray<readonly [string, Partial<Redemption>]> = [
          ["redirect_uri", { redirectUri: "https://rp.example/cb?tenant=7" }],
          ["redirect_uri", { redirectUri: `${OAuth.redirectUri}/` }],
          ["redirect_uri", { redirectUri: "https://RP.example/cb" }],
          ["verifier", { codeVerifier: Redacted.make("x".repeat(43)) }],
          ["verifier", { codeVerifier: Redacted.make(OAuth.challenge) }],
          ["verifier", { codeVerifier: Redacted.make(`${OAuth.verifier}x`) }],
          ["resource", { resource: "https://api.venue.example" }]
        ]
        for (const [reason, changes] of wrong) {
          const code = yield* OAuth.approvedCode(caller, client)
          assert.strictEqual(yield* refusal(client, OAuth.redemption(code, changes)), reason)
          assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "used_code")
        }
        assert.deepStrictEqual(yield* sessionsOf(caller.userId), [])
      })
    )

    it.effect("T2: leaves the code unused after an incomplete request", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const code = yield* OAuth.approvedCode(yield* OAuth.signedIn, client)
        const broken: ReadonlyArray<Partial<Redemption>> = [
          { code: undefined },
          { redirectUri: undefined },
          { codeVerifier: undefined },
          { codeVerifier: Redacted.make("x".repeat(42)) },
          { codeVerifier: Redacted.make("x".repeat(129)) },
          { codeVerifier: Redacted.make(`${"x".repeat(43)}+`) }
        ]
        for (const changes of broken) {
          assert.strictEqual(yield* refusal(client, OAuth.redemption(code, changes)), "parameters")
        }
        for (const unknown of ["", "x".repeat(43), "\0", "é"]) {
          assert.strictEqual(yield* refusal(client, OAuth.redemption(Redacted.make(unknown))), "unknown_code")
        }
        yield* OAuth.exchange(client, OAuth.redemption(code))
      })
    )

    it.effect(
      "accepts a code exchange whose resource parameter is missing or equals the authorization request's parameter",
      () =>
        Effect.gen(function* () {
          const { client } = yield* OAuth.register()
          const caller = yield* OAuth.signedIn
          const resource = "https://api.venue.example"
          for (const named of [resource, undefined]) {
            const code = yield* OAuth.approvedCode(caller, client, { resource })
            yield* OAuth.exchange(client, OAuth.redemption(code, { resource: named }))
          }
        })
    )

    it.effect("rejects a frozen user's code", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        yield* (yield* UserStates).freeze(caller.userId)
        assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "user")
        yield* (yield* UserStates).unfreeze(caller.userId)
        assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "used_code")
        assert.deepStrictEqual(yield* sessionsOf(caller.userId), [])
      })
    )

    it.effect("rejects a code if the user's second factor was removed after consent", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000_000)
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.secured(yield* OAuth.signedIn)
        const code = yield* OAuth.approvedCode(caller, client)
        const [factor] = yield* (yield* Factors).ofUser(caller.userId)
        yield* (yield* SecondFactor).unenrol(caller, factor!.factorId)
        assert.strictEqual(yield* refusal(client, OAuth.redemption(code)), "used_code")
        assert.deepStrictEqual(yield* sessionsOf(caller.userId), [])
      })
    )

    it.effect("T4: rejects a grant type that the application is not registered for", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register({ grantTypes: ["authorization_code"] })
        const code = yield* OAuth.approvedCode(yield* OAuth.signedIn, client)
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        assert.strictEqual(yield* whyNot(client, issued.refreshToken), "grant_type")
        assert.isTrue(yield* isLive(issued.session.sessionId))
      })
    )

    it.effect("T5: refreshes a token only for its own application and within the granted scopes", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const { client: other } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        assert.strictEqual(yield* whyNot(other, issued.refreshToken), "wrong_client")
        assert.strictEqual(yield* whyNot(client, issued.refreshToken, "openid profile"), "invalid_scope")
        const narrower = yield* refresh(client, issued.refreshToken, "email")
        assert.strictEqual(narrower.scope, "email")
        assert.isUndefined(narrower.idToken)
        const whole = yield* refresh(client, narrower.issued.refreshToken)
        assert.strictEqual(whole.scope, "openid email")
        assert.strictEqual(whole.issued.session.sessionId, issued.session.sessionId)
      })
    )

    it.effect("T5: an application cannot refresh the tokens of a user's own session", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const { userId } = yield* OAuth.signedIn
        const tokens = yield* SessionTokens
        const beginning = { userId, clientId: null, publicClient: false, scope: null, method: "web3" } as const
        const { refreshToken } = yield* tokens.begin(beginning)
        assert.strictEqual(yield* whyNot(client, refreshToken), "wrong_client")
        yield* tokens.refresh(refreshToken, { clientId: null })
      })
    )

    it.effect("T6: issues an ID token with audience, issuer and sign-in time, and rejects it as a bearer token", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        yield* (yield* Profiles).change(caller.userId, { username: `amy-${caller.userId.slice(0, 8)}` })
        yield* TestClock.adjust("1 minute")
        const changes = { scope: "openid profile email", nonce: " a nonce " }
        const code = yield* OAuth.approvedCode(caller, client, changes)
        const { idToken, issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        const text = Redacted.value(idToken!)
        const keys = yield* SigningKeys
        const { payload, protectedHeader } = yield* Effect.promise(() =>
          jwtVerify(text, ({ kid }) => keys.find(kid!)!, {
            issuer: OAuth.issuer,
            audience: client.clientId,
            algorithms: ["ES256"],
            typ: "JWT",
            currentDate: new Date(1_060_000)
          })
        )
        assert.strictEqual(protectedHeader.alg, "ES256")
        const hash = createHash("sha256").update(Redacted.value(issued.accessToken)).digest().subarray(0, 16)
        assert.deepStrictEqual(payload, {
          iss: OAuth.issuer,
          aud: client.clientId,
          sub: caller.userId,
          iat: 1_060,
          exp: 4_660,
          auth_time: 1_000,
          nonce: " a nonce ",
          at_hash: hash.toString("base64url"),
          name: `amy-${caller.userId.slice(0, 8)}`,
          preferred_username: `amy-${caller.userId.slice(0, 8)}`
        })
        assert.strictEqual((yield* Effect.flip((yield* Bearers).verify(text)))._tag, "InvalidToken")
      })
    )

    it.effect(
      "T6: issues an ID token only with the scope `openid`, and includes a nonce only if the request sent one",
      () =>
        Effect.gen(function* () {
          const { client } = yield* OAuth.register()
          const caller = yield* OAuth.signedIn
          const plain = yield* OAuth.approvedCode(caller, client, { scope: "email" })
          assert.isUndefined((yield* OAuth.exchange(client, OAuth.redemption(plain))).idToken)
          const open = yield* OAuth.approvedCode(caller, client, { scope: "openid" })
          const { idToken } = yield* OAuth.exchange(client, OAuth.redemption(open))
          assert.notProperty(decodeJwt(Redacted.value(idToken!)), "nonce")
        })
    )
  })

suite("CodeExchange in memory", OAuth.memory)
suite("CodeExchange on Postgres", OAuth.postgres)
