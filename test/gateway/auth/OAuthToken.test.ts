/** Tests of the OAuth token endpoint, over real sockets. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { createHash } from "node:crypto"
import { approved, as, basic, codeOf, exchange, verifier } from "./Application.ts"
import { AuthService, layer, redirectUri } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("OAuth tokens", (it) => {
  it.effect("T1, T6: exchanges a code for a session with all granted scopes", () =>
    Effect.gen(function* () {
      const { get, issuer, register, signIn } = yield* AuthService
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const url = yield* approved(client.clientId, session)
      expect(`${url.origin}${url.pathname}`).toBe("https://rp.example/cb")
      expect(Object.fromEntries(url.searchParams)).toEqual({
        kept: "1",
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: "a state",
        iss: issuer
      })
      const { body, headers, status } = yield* exchange(client, url.searchParams.get("code")!)
      expect([status, headers.get("cache-control"), headers.get("pragma")]).toEqual([200, "no-store", "no-cache"])
      expect(body).toMatchObject({
        token_type: "bearer",
        expires_in: 3600,
        scope: "openid profile",
        user: { id: session.user.id }
      })
      expect(Object.keys(body.user)).toEqual(["id"])
      expect(decodeProtectedHeader(body.id_token)).toMatchObject({ alg: "ES256", typ: "JWT" })
      expect(decodeJwt(body.id_token)).toMatchObject({
        iss: issuer,
        sub: session.user.id,
        aud: client.clientId,
        nonce: "a nonce",
        at_hash: createHash("sha256").update(body.access_token).digest().subarray(0, 16).toString("base64url")
      })
      expect(decodeJwt(body.access_token)).toMatchObject({ client_id: client.clientId, scope: "openid profile" })
      expect((yield* get("/user", as({ access_token: body.id_token }))).status).toBe(403)
    })
  )

  it.effect("T2, I44: accepts a code once, and ends the code's session if the code is used again", () =>
    Effect.gen(function* () {
      const { get, register, signIn } = yield* AuthService
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const answers = yield* Effect.replicateEffect(exchange(client, code), 10, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)])
      const { body } = answers.find(({ status }) => status === 200)!
      const ended = yield* Effect.repeat(get("/user", as(body)), { until: ({ status }) => status !== 200 })
      expect(ended).toMatchObject({ status: 403, body: { error_code: "session_not_found" } })
    })
  )

  it.effect("T2: accepts a code only with the application, redirect URI and verifier for which it was issued", () =>
    Effect.gen(function* () {
      const { register, signIn } = yield* AuthService
      const client = yield* register({})
      const stranger = yield* register({})
      const session = yield* signIn(wallet())
      const fresh = Effect.map(approved(client.clientId, session), (url) => url.searchParams.get("code")!)
      const code = yield* fresh
      expect(codeOf(yield* exchange(stranger, code))).toEqual([400, "invalid_grant"])
      expect((yield* exchange(client, code)).status).toBe(200)
      const wrong: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{ redirect_uri: "https://rp.example/cb" }, "invalid_grant"],
        [{ redirect_uri: "" }, "invalid_request"],
        [{ code_verifier: "x".repeat(43) }, "invalid_grant"],
        [{ code_verifier: createHash("sha256").update(verifier).digest("base64url") }, "invalid_grant"],
        [{ code_verifier: "short" }, "invalid_request"],
        [{ code_verifier: "x".repeat(129) }, "invalid_request"],
        [{ code_verifier: "" }, "invalid_request"],
        [{ code: "" }, "invalid_request"],
        [{ code: "x".repeat(43) }, "invalid_grant"],
        [{ resource: "https://other.example/" }, "invalid_target"]
      ]
      for (const [fields, error] of wrong) {
        const one = yield* fresh
        expect([fields, ...codeOf(yield* exchange(client, one, fields))]).toEqual([fields, 400, error])
      }
    })
  )

  it.effect("T2: rejects a code that is older than one minute", () =>
    Effect.gen(function* () {
      const { register, signIn, timed } = yield* AuthService
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const one = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const { form, later } = yield* timed({})
      yield* later(60_000)
      const fields = { grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: verifier }
      expect(codeOf(yield* form("/oauth/token", { ...fields, code: one }, basic(client)))).toEqual([
        400,
        "invalid_grant"
      ])
      expect((yield* exchange(client, one)).status).toBe(200)
    })
  )

  it.effect("T3: returns the same error for every fault in the client credentials", () =>
    Effect.gen(function* () {
      const { form, register, signIn } = yield* AuthService
      const client = yield* register({})
      const open = yield* register({ type: "public" })
      const session = yield* signIn(wallet())
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const { clientId, secret } = client
      const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }
      const header = (text: string) => ({ authorization: `Basic ${btoa(text)}` })
      const refusals = [
        yield* form("/oauth/token", fields),
        yield* form("/oauth/token", { ...fields, client_id: clientId }),
        yield* form("/oauth/token", { ...fields, client_id: clientId, client_secret: secret }),
        yield* form("/oauth/token", fields, header(`${clientId}:`)),
        yield* form("/oauth/token", fields, header(`${clientId}:wrong`)),
        yield* form("/oauth/token", fields, header(clientId)),
        yield* form("/oauth/token", fields, header(`00000000-0000-4000-8000-000000000000:${secret}`)),
        yield* form("/oauth/token", fields, { authorization: "Basic %" }),
        yield* form("/oauth/token", fields, header(`${open.clientId}:secret`)),
        yield* form("/oauth/token", { ...fields, client_id: open.clientId, client_secret: "secret" })
      ]
      for (const { body, headers, status } of refusals) {
        expect([status, body]).toEqual([401, refusals[0]!.body])
        expect(headers.get("www-authenticate")).toBe('Basic realm="oauth"')
      }
      expect(refusals[0]!.body.error).toBe("invalid_client")
      const mismatch = yield* form("/oauth/token", { ...fields, client_id: open.clientId }, basic(client))
      expect(codeOf(mismatch)).toEqual([400, "invalid_request"])
      const escaped = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
      expect((yield* form("/oauth/token", fields, header(`${escaped(clientId)}:${escaped(secret)}`))).status).toBe(200)
    })
  )

  it.effect("T4: accepts only a form body without repeated parameters, and ignores the query string", () =>
    Effect.gen(function* () {
      const { form, register, send } = yield* AuthService
      const client = yield* register({})
      const path = "/oauth/token"
      const post = (text: string) =>
        send("POST", path, text, { ...basic(client), "content-type": "application/x-www-form-urlencoded" })
      expect(codeOf(yield* send("POST", path, { grant_type: "refresh_token" }, basic(client)))).toEqual([
        400,
        "invalid_request"
      ])
      expect(codeOf(yield* post("grant_type=refresh_token&grant_type=refresh_token"))).toEqual([400, "invalid_request"])
      expect(codeOf(yield* post(""))).toEqual([400, "invalid_request"])
      expect(codeOf(yield* form(`${path}?grant_type=refresh_token`, {}, basic(client)))).toEqual([
        400,
        "invalid_request"
      ])
      for (const grant_type of ["password", "client_credentials", "web3"]) {
        expect(codeOf(yield* form(path, { grant_type }, basic(client)))).toEqual([400, "unsupported_grant_type"])
      }
      const codeOnly = yield* register({ grantTypes: ["authorization_code"] })
      expect(codeOf(yield* form(path, { grant_type: "refresh_token", refresh_token: "x" }, basic(codeOnly)))).toEqual([
        400,
        "unauthorized_client"
      ])
    })
  )

  it.effect("T5, R6: accepts a refresh token only from the application that received it", () =>
    Effect.gen(function* () {
      const { form, register, signIn, token } = yield* AuthService
      const client = yield* register({})
      const stranger = yield* register({})
      const session = yield* signIn(wallet())
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const { refresh_token } = (yield* exchange(client, code)).body
      const grant = { grant_type: "refresh_token", refresh_token }
      expect(codeOf(yield* form("/oauth/token", grant, basic(stranger)))).toEqual([400, "invalid_grant"])
      expect(codeOf(yield* form("/oauth/token", { ...grant, scope: "openid phone" }, basic(client)))).toEqual([
        400,
        "invalid_scope"
      ])
      expect(codeOf(yield* token("refresh_token", { refresh_token }))).toEqual([400, "invalid_client"])
      expect(codeOf(yield* form("/token?grant_type=refresh_token", { refresh_token }))).toEqual([400, "invalid_client"])
      const own = { ...grant, refresh_token: session.refresh_token }
      expect(codeOf(yield* form("/oauth/token", own, basic(client)))).toEqual([400, "invalid_grant"])
      const { body, headers, status } = yield* form("/oauth/token", { ...grant, scope: "openid" }, basic(client))
      expect([status, body.scope, body.id_token]).toEqual([200, "openid", undefined])
      expect(headers.get("pragma")).toBe("no-cache")
    })
  )

  it.effect("T1, R6: the command-line client can sign in and refresh with the requests that it sends", () =>
    Effect.gen(function* () {
      const { form, other, register, signIn } = yield* AuthService
      const loopback = "http://localhost:57423/callback"
      const client = yield* register({ type: "public", redirectUris: [loopback], allowLoopback: true })
      const session = yield* signIn(wallet())
      const url = yield* approved(client.clientId, session, {
        redirect_uri: loopback,
        scope: undefined,
        nonce: undefined
      })
      const tokens = yield* exchange(client, url.searchParams.get("code")!, { redirect_uri: loopback })
      expect(tokens).toMatchObject({ status: 200, body: { scope: "email", expires_in: 3600 } })
      const { refresh_token } = tokens.body
      const path = "/token?grant_type=refresh_token"
      const strict = yield* other({ allowPublicFormRefresh: false })
      expect((yield* strict.form(path, { refresh_token })).status).toBe(401)
      const { body, status } = yield* form(path, { refresh_token })
      expect([status, body.token_type, body.user.id]).toEqual([200, "bearer", session.user.id])
    })
  )

  it.effect("T4: issues and accepts refresh tokens only for an application with the refresh grant", () =>
    Effect.gen(function* () {
      const { form, register, signIn } = yield* AuthService
      const session = yield* signIn(wallet())
      for (const type of ["public", "confidential"] as const) {
        const client = yield* register({ type, grantTypes: ["authorization_code"] })
        const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
        const { body, status } = yield* exchange(client, code)
        expect([type, status, Object.hasOwn(body, "access_token"), Object.hasOwn(body, "refresh_token")]).toEqual([
          type,
          200,
          true,
          false
        ])
      }
      const client = yield* register({ type: "public" })
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const { refresh_token } = (yield* exchange(client, code)).body
      const sql = yield* SqlClient.SqlClient
      yield* sql`update oauth_client set grant_types = '{authorization_code}' where client_id = ${client.clientId}`
      const refused = yield* form("/token?grant_type=refresh_token", { refresh_token })
      expect(codeOf(refused)).toEqual([400, "unauthorized_client"])
      yield* sql`update oauth_client set grant_types = '{refresh_token}' where client_id = ${client.clientId}`
      expect((yield* form("/token?grant_type=refresh_token", { refresh_token })).status).toBe(200)
    })
  )

  it.effect("T7: returns the user info that the scope allows, and refuses requests as RFC 6750 requires", () =>
    Effect.gen(function* () {
      const { get, register, send, signIn } = yield* AuthService
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const tokens = (yield* exchange(client, code)).body
      expect((yield* get("/oauth/userinfo", as(tokens))).body).toEqual({ sub: session.user.id })
      expect((yield* send("POST", "/oauth/userinfo", undefined, as(tokens))).body).toEqual({ sub: session.user.id })
      expect((yield* get("/oauth/userinfo", as(session))).body).toEqual({ sub: session.user.id })
      for (const answer of [
        yield* get("/oauth/userinfo"),
        yield* get(`/oauth/userinfo?access_token=${tokens.access_token}`),
        yield* get("/oauth/userinfo", { authorization: "Bearer wrong" }),
        yield* get("/oauth/userinfo", as({ access_token: tokens.id_token }))
      ]) {
        expect(codeOf(answer)).toEqual([401, "invalid_token"])
        expect(answer.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"')
      }
    })
  )

  it.effect(
    "limits an application to sixty exchanges and sixty authorization requests per minute from one IP address",
    () =>
      Effect.gen(function* () {
        const { register, timed } = yield* AuthService
        const { form, get, later } = yield* timed({ limits: true })
        const client = yield* register({})
        const grant = { grant_type: "authorization_code" }
        for (let i = 0; i < 60; i++) expect((yield* form("/oauth/token", grant, basic(client))).status).toBe(400)
        expect((yield* form("/oauth/token", grant, basic(client))).status).toBe(429)
        expect((yield* form("/oauth/token", grant, basic(yield* register({})))).status).toBe(400)
        for (let i = 0; i < 60; i++) expect((yield* get("/oauth/authorize")).status).toBe(400)
        const { headers, status } = yield* get("/oauth/authorize")
        expect([status, headers.get("retry-after")]).toEqual([429, "1"])
        yield* later(1_000)
        expect((yield* get("/oauth/authorize")).status).toBe(400)
      })
  )

  it.effect("I48: limits an IP address to 300 unauthenticated token requests per minute, whatever the client id", () =>
    Effect.gen(function* () {
      const { timed } = yield* AuthService
      const { form } = yield* timed({ limits: true })
      const tries = (i: number) => form("/oauth/token", { grant_type: "refresh_token", client_id: `client-${i}` })
      for (let i = 0; i < 300; i++) expect(codeOf(yield* tries(i))).toEqual([401, "invalid_client"])
      expect(codeOf(yield* tries(300))).toEqual([429, "temporarily_unavailable"])
    })
  )
})
