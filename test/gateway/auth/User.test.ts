/** Tests of the bearer token's user, of sign-out, and of invalid tokens. */
import { Authorize } from "@venue/auth/oauth/Authorize"
import { Bearers } from "@venue/auth/session/Bearers"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { base64url, decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from "jose"
import { createHmac, createPublicKey } from "node:crypto"
import type { Answer } from "../rest/RestClient.ts"
import { approved, exchange, opened } from "./Application.ts"
import type { Session } from "./AuthClient.ts"
import { AuthService, layer } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

const bearer = ({ access_token }: Pick<Session, "access_token">) => ({ authorization: `Bearer ${access_token}` })

const codeOf = ({ body, status }: Answer) => [status, body?.error_code]

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("the bearer", (it) => {
  it.effect("returns the session's user from GET /user", () =>
    Effect.gen(function* () {
      const { get, signIn } = yield* AuthService
      const session = yield* signIn(wallet())
      const { body, headers, status } = yield* get("/user", bearer(session))
      expect([status, headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(body).toEqual(session.user)
    })
  )

  it.effect("refuses a request without a token with 401 and a challenge", () =>
    Effect.gen(function* () {
      const { get } = yield* AuthService
      for (const authorization of ["", "Bearer", "Bearer ", "Basic abc", "token"]) {
        const answer = yield* get("/user", { authorization })
        expect(codeOf(answer)).toEqual([401, "no_authorization"])
        expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"')
      }
      expect(codeOf(yield* get("/user"))).toEqual([401, "no_authorization"])
    })
  )

  it.effect("invalidates the code of a pending approval when the user signs out of all sessions", () =>
    Effect.gen(function* () {
      const { register, send, signIn } = yield* AuthService
      const authorize = yield* Authorize
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Transaction
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const id = yield* opened(client.clientId)
      const caller = yield* (yield* Bearers).verify(session.access_token)
      const mayCommit = yield* Deferred.make<void>()
      const decided = yield* Deferred.make<URL>()
      const approval = yield* authorize.decide(caller, Redacted.make(id), "approve").pipe(
        Effect.tap(({ redirectUrl }) => Deferred.succeed(decided, new URL(Redacted.value(redirectUrl)))),
        Effect.tap(() => Deferred.await(mayCommit)),
        run,
        Effect.forkChild
      )
      const { searchParams } = yield* Deferred.await(decided)
      const leaving = yield* Effect.forkChild(send("POST", "/logout", undefined, bearer(session)))
      const waiting = sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      yield* Effect.race(Fiber.join(leaving), Effect.repeat(waiting, { until: (rows) => rows.length > 0 }))
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(approval)
      expect((yield* Fiber.join(leaving)).status).toBe(204)
      expect(codeOf(yield* exchange(client, searchParams.get("code")!))).toEqual([400, "invalid_grant"])
    })
  )

  it.effect("U1: ends the sessions that each sign-out scope covers, and refuses a second sign-out", () =>
    Effect.gen(function* () {
      const { get, send, signIn, token } = yield* AuthService
      const sessions = yield* Sessions
      const three = Effect.gen(function* () {
        const someone = wallet()
        return { own: yield* signIn(someone), others: [yield* signIn(someone), yield* signIn(someone)] as const }
      })
      const live = ({ user }: Session) => Effect.map(sessions.ofUser(user.id), (all) => all.length)
      const logout = (session: Session, scope: string) => send("POST", `/logout${scope}`, undefined, bearer(session))

      const local = yield* three
      expect((yield* logout(local.own, "?scope=local")).status).toBe(204)
      expect(yield* live(local.own)).toBe(2)

      const others = yield* three
      expect((yield* logout(others.own, "?scope=others")).status).toBe(204)
      expect(yield* live(others.own)).toBe(1)
      expect((yield* get("/user", bearer(others.own))).status).toBe(200)
      const { refresh_token } = others.others[0]
      expect(codeOf(yield* token("refresh_token", { refresh_token }))).toEqual([400, "session_not_found"])

      const global = yield* three
      const { status, text } = yield* logout(global.own, "")
      expect([status, text]).toEqual([204, ""])
      expect(yield* live(global.own)).toBe(0)
      // A revocation usually takes effect at once, and at the latest after one second.
      const again = yield* Effect.repeat(logout(global.own, ""), { until: (answer) => answer.status !== 204 })
      expect(codeOf(again)).toEqual([403, "session_not_found"])
    })
  )

  it.effect("U1: ends only the application's own sessions when an application signs out", () =>
    Effect.gen(function* () {
      const { get, register, send, signIn } = yield* AuthService
      const mine = yield* signIn(wallet())
      const [app, other] = [yield* register({}), yield* register({})]
      const letIn = (client: typeof app) =>
        Effect.gen(function* () {
          const code = (yield* approved(client.clientId, mine)).searchParams.get("code")!
          return (yield* exchange(client, code)).body as Session
        })
      const [first, second, others] = [yield* letIn(app), yield* letIn(app), yield* letIn(other)]
      const live = Effect.flatMap(Sessions, (sessions) =>
        Effect.map(sessions.ofUser(mine.user.id), (all) => all.map(({ clientId }) => clientId).toSorted())
      )
      const logout = (scope: string) => send("POST", `/logout?scope=${scope}`, undefined, bearer(second))
      expect((yield* logout("others")).status).toBe(204)
      expect(yield* live).toEqual([null, app.clientId, other.clientId].toSorted())
      expect((yield* logout("global")).status).toBe(204)
      expect(yield* live).toEqual([null, other.clientId].toSorted())
      expect((yield* get("/user", bearer(mine))).status).toBe(200)
      expect((yield* get("/user", bearer(others))).status).toBe(200)
      const again = yield* Effect.repeat(get("/user", bearer(first)), { until: ({ status }) => status !== 200 })
      expect(codeOf(again)).toEqual([403, "session_not_found"])
    })
  )

  it.effect("U1: cancels unused authorization codes if a sign-out covers more than the current session", () =>
    Effect.gen(function* () {
      const { register, send, signIn } = yield* AuthService
      const [app, other] = [yield* register({}), yield* register({})]
      const codeOfUser = (client: typeof app, session: Session) =>
        Effect.map(approved(client.clientId, session), (url) => url.searchParams.get("code")!)
      const logout = (session: Session, scope: string) =>
        send("POST", `/logout?scope=${scope}`, undefined, bearer(session))
      for (const scope of ["global", "others"]) {
        const mine = yield* signIn(wallet())
        const code = yield* codeOfUser(app, mine)
        expect((yield* logout(mine, scope)).status).toBe(204)
        expect(codeOf(yield* exchange(app, code))).toEqual([400, "invalid_grant"])
      }
      const mine = yield* signIn(wallet())
      const granted = (yield* exchange(app, yield* codeOfUser(app, mine))).body as Session
      const [own, foreign] = [yield* codeOfUser(app, mine), yield* codeOfUser(other, mine)]
      expect((yield* logout(granted, "global")).status).toBe(204)
      expect(codeOf(yield* exchange(app, own))).toEqual([400, "invalid_grant"])
      expect((yield* exchange(other, foreign)).status).toBe(200)
    })
  )

  it.effect("I48: limits an IP address to 300 bearer requests per minute, whether the tokens are valid or not", () =>
    Effect.gen(function* () {
      const { signIn, timed } = yield* AuthService
      const { get, later } = yield* timed({ limits: true })
      const session = yield* signIn(wallet())
      for (let i = 0; i < 299; i++) expect((yield* get("/user", { authorization: "Bearer a.b.c" })).status).toBe(403)
      expect((yield* get("/user", bearer(session))).status).toBe(200)
      for (const path of ["/user", "/oauth/userinfo", "/user/oauth/grants", "/oauth/authorizations/1"]) {
        const { body, headers, status } = yield* get(path, bearer(session))
        expect([path, status, body.error_code]).toEqual([path, 429, "over_request_rate_limit"])
        expect(headers.get("retry-after")).toBe("1")
      }
      yield* later(1_000)
      expect((yield* get("/user", bearer(session))).status).toBe(200)
    })
  )

  it.effect("U1: refuses an unknown or repeated sign-out scope and ends no session", () =>
    Effect.gen(function* () {
      const { get, send, signIn } = yield* AuthService
      const session = yield* signIn(wallet())
      for (const query of ["scope=all", "scope=", "scope=toString", "scope=local&scope=local"]) {
        expect(codeOf(yield* send("POST", `/logout?${query}`, undefined, bearer(session)))).toEqual([
          400,
          "validation_failed"
        ])
      }
      expect((yield* get("/user", bearer(session))).status).toBe(200)
    })
  )

  it.effect("U2, I45: refuses forged, truncated and oversized tokens, and tokens signed with another key", () =>
    Effect.gen(function* () {
      const { get, issuer, signIn } = yield* AuthService
      const { access_token } = yield* signIn(wallet())
      const claims = decodeJwt(access_token)
      const { kid } = decodeProtectedHeader(access_token)
      const [head, body, signature] = access_token.split(".") as [string, string, string]
      const [jwk] = (yield* (yield* SigningKeys).jwks).keys
      const mine = yield* Effect.promise(() => generateKeyPair("ES256"))
      const part = (value: object) => base64url.encode(JSON.stringify(value))
      const forged = (header: object, payload: object = claims) =>
        Effect.promise(() =>
          new SignJWT({ ...payload })
            .setProtectedHeader({ alg: "ES256", typ: "at+jwt", ...header })
            .sign(mine.privateKey)
        )
      const publicPem = createPublicKey({ key: { ...jwk! }, format: "jwk" }).export({ type: "spki", format: "pem" })
      const confused = `${part({ alg: "HS256", kid, typ: "at+jwt" })}.${body}`
      const corpus = {
        tampered: `${head}.${part({ ...claims, sub: crypto.randomUUID() })}.${signature}`,
        cut: access_token.slice(0, -2),
        none: `${part({ alg: "none", kid, typ: "at+jwt" })}.${body}.`,
        noneSigned: `${part({ alg: "none", kid, typ: "at+jwt" })}.${body}.${signature}`,
        confused: `${confused}.${createHmac("sha256", publicPem).update(confused).digest("base64url")}`,
        otherKey: yield* forged({ kid }),
        unknownKey: yield* forged({ kid: "unknown" }),
        noKey: yield* forged({}),
        embedded: yield* forged({ kid, jwk: jwk! }),
        remote: yield* forged({ kid, jku: `${issuer}/.well-known/jwks.json` }),
        large: `${access_token}${"x".repeat(9_000)}`,
        noToken: "abc"
      }
      for (const [name, token] of Object.entries(corpus)) {
        expect([name, ...codeOf(yield* get("/user", { authorization: `Bearer ${token}` }))]).toEqual([
          name,
          403,
          "bad_jwt"
        ])
      }
      expect((yield* get("/user", { authorization: `bearer ${access_token}` })).status).toBe(200)
    })
  )

  it.effect("U2: refuses a token with missing or wrong claims, even if the venue's own key signed the token", () =>
    Effect.gen(function* () {
      const { get, signIn } = yield* AuthService
      const { sign } = yield* SigningKeys
      const { access_token } = yield* signIn(wallet())
      const claims = decodeJwt(access_token)
      const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))
      const corpus: Readonly<Record<string, Effect.Effect<string>>> = {
        idToken: sign(claims, "JWT"),
        otherIssuer: sign({ ...claims, iss: "https://other.example/auth/v1" }, "at+jwt"),
        otherAudience: sign({ ...claims, aud: ["somebody"] }, "at+jwt"),
        expired: sign({ ...claims, exp: Number(claims.iat) - 60 }, "at+jwt"),
        noExpiry: sign(without("exp"), "at+jwt"),
        expiryAsText: sign({ ...claims, exp: String(claims.exp) }, "at+jwt"),
        fromTheFuture: sign({ ...claims, iat: Number(claims.iat) + 3_000 }, "at+jwt"),
        noSession: sign(without("session_id"), "at+jwt"),
        subjectNoUuid: sign({ ...claims, sub: "someone" }, "at+jwt")
      }
      for (const [name, token] of Object.entries(corpus)) {
        const answer = yield* get("/user", { authorization: `Bearer ${yield* token}` })
        expect([name, ...codeOf(answer)]).toEqual([name, 403, "bad_jwt"])
      }
      const unknownSession = yield* sign({ ...claims, session_id: crypto.randomUUID() }, "at+jwt")
      expect(codeOf(yield* get("/user", { authorization: `Bearer ${unknownSession}` }))).toEqual([
        403,
        "session_not_found"
      ])
      const listed = yield* sign({ ...claims, aud: ["authenticated", "more"] }, "at+jwt")
      expect((yield* get("/user", { authorization: `Bearer ${listed}` })).status).toBe(200)
    })
  )
})
