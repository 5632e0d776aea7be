/** Tests of token revocation by applications, over real sockets. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { call } from "../rest/RestClient.ts"
import { approved, as, basic, codeOf, exchange } from "./Application.ts"
import { AuthService, layer } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

interface Client {
  readonly clientId: string
  readonly secret: string
}

const path = "/oauth/revoke"

/** Returns an application of this type, with the tokens of a user who approved the application. */
const scene = Effect.fnUntraced(function* (type: "confidential" | "public" = "confidential") {
  const { register, signIn } = yield* AuthService
  const client = yield* register({ type })
  const session = yield* signIn(wallet())
  const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
  return { client, session, tokens: (yield* exchange(client, code)).body }
})

const revoke = Effect.fnUntraced(function* (client: Client, fields: Readonly<Record<string, string>>) {
  const { form } = yield* AuthService
  return client.secret === ""
    ? yield* form(path, { client_id: client.clientId, ...fields })
    : yield* form(path, fields, basic(client))
})

const refresh = Effect.fnUntraced(function* (client: Client, refresh_token: string) {
  const { form } = yield* AuthService
  const fields = { grant_type: "refresh_token", refresh_token }
  return client.secret === ""
    ? yield* form("/oauth/token", { client_id: client.clientId, ...fields })
    : yield* form("/oauth/token", fields, basic(client))
})

/** Returns the number of ended sessions and the number of audit entries. */
const state = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql`
    select (select count(*) from session where ended_at is not null) as ended, (select count(*) from audit) as deeds`
  return counts
})

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("revocation", (it) => {
  for (const type of ["confidential", "public"] as const) {
    for (const [kind, hint] of [
      ["refresh_token", undefined],
      ["access_token", undefined],
      ["refresh_token", "access_token"],
      ["access_token", "of my own"]
    ] as const) {
      it.effect(`ends the session when a ${type} application revokes its ${kind} with ${hint ?? "no"} hint`, () =>
        Effect.gen(function* () {
          const { get } = yield* AuthService
          const { client, session, tokens } = yield* scene(type)
          const fields = { token: tokens[kind], ...(hint === undefined ? {} : { token_type_hint: hint }) }
          const { headers, status, text } = yield* revoke(client, fields)
          expect([status, text]).toEqual([200, ""])
          expect([headers.get("cache-control"), headers.get("pragma")]).toEqual(["no-store", "no-cache"])
          expect(headers.get("access-control-allow-origin")).toBe("*")
          expect(yield* refresh(client, tokens.refresh_token)).toMatchObject({
            status: 400,
            body: { error: "invalid_grant", error_code: "session_not_found" }
          })
          const bearer = yield* Effect.repeat(get("/oauth/userinfo", as(tokens)), {
            until: (one) => one.status !== 200
          })
          expect(codeOf(bearer)).toEqual([401, "invalid_token"])
          expect((yield* get("/user", as(session))).status).toBe(200)
          expect(yield* revoke(client, fields)).toMatchObject({ status: 200, text: "" })
        })
      )
    }
  }

  it.effect("returns 200 and changes nothing if the token is unknown, of another kind, or another application's", () =>
    Effect.gen(function* () {
      const { client, session, tokens } = yield* scene()
      const stranger = yield* scene()
      const before = yield* state
      for (const [by, token] of [
        [client, `vrt_${"x".repeat(43)}`],
        [client, "nothing of ours"],
        [client, tokens.id_token],
        [client, session.access_token],
        [client, session.refresh_token],
        [stranger.client, tokens.access_token],
        [stranger.client, tokens.refresh_token]
      ] as const) {
        const { headers, status, text } = yield* revoke(by, { token })
        expect([status, text, headers.get("content-type")]).toEqual([200, "", null])
      }
      expect(yield* state).toEqual(before)
      expect((yield* refresh(client, tokens.refresh_token)).status).toBe(200)
    })
  )

  it.effect("refuses a revocation with a missing or repeated token, or with a body that is not a form", () =>
    Effect.gen(function* () {
      const { form, send } = yield* AuthService
      const { client, tokens } = yield* scene()
      const before = yield* state
      const token: string = tokens.refresh_token
      const headers = { ...basic(client), "content-type": "application/x-www-form-urlencoded" }
      for (const answer of [
        yield* revoke(client, {}),
        yield* revoke(client, { token: "" }),
        yield* revoke(client, { token_type_hint: "refresh_token" }),
        yield* send("POST", path, `token=${token}&token=${token}`, headers),
        yield* send("POST", path, `token=${token}&token_type_hint=x&token_type_hint=x`, headers),
        yield* send("POST", path, { token }, basic(client)),
        yield* form(`${path}?token=${token}`, {}, basic(client))
      ]) {
        expect(codeOf(answer)).toEqual([400, "invalid_request"])
        expect(answer.headers.get("pragma")).toBe("no-cache")
      }
      expect(yield* state).toEqual(before)
      expect((yield* refresh(client, token)).status).toBe(200)
    })
  )

  it.effect("T3: requires the same client authentication for a revocation as for a token request", () =>
    Effect.gen(function* () {
      const { form } = yield* AuthService
      const { client, tokens } = yield* scene()
      const open = yield* scene("public")
      const before = yield* state
      const token: string = tokens.refresh_token
      const { clientId, secret } = client
      const refusals = [
        yield* form(path, { token }),
        yield* form(path, { token, client_id: clientId }),
        yield* form(path, { token, client_id: clientId, client_secret: secret }),
        yield* form(path, { token }, basic({ clientId, secret: "wrong" })),
        yield* form(path, { token }, basic({ clientId: "nobody", secret })),
        yield* form(path, { token: open.tokens.refresh_token }, basic({ ...open.client, secret: "secret" })),
        yield* form(path, {})
      ]
      for (const { body, headers, status } of refusals) {
        expect([status, body.error]).toEqual([401, "invalid_client"])
        expect(headers.get("www-authenticate")).toBe('Basic realm="oauth"')
      }
      const mismatch = yield* form(path, { token, client_id: open.client.clientId }, basic(client))
      expect(codeOf(mismatch)).toEqual([400, "invalid_request"])
      expect(yield* state).toEqual(before)
      expect((yield* refresh(client, token)).status).toBe(200)
    })
  )

  it.effect(
    "limits an application to sixty revocations per minute from one IP address, without affecting its token requests",
    () =>
      Effect.gen(function* () {
        const { register, timed } = yield* AuthService
        const { form, later } = yield* timed({ limits: true })
        const client = yield* register({})
        const revocation = form(path, { token: "x" }, basic(client))
        for (let i = 0; i < 60; i++) expect((yield* revocation).status).toBe(200)
        const { body, headers, status } = yield* revocation
        expect([status, body.error, headers.get("retry-after")]).toEqual([429, "temporarily_unavailable", "1"])
        expect((yield* form(path, { token: "x" }, basic(yield* register({})))).status).toBe(200)
        expect(codeOf(yield* form("/oauth/token", { grant_type: "authorization_code" }, basic(client)))).toEqual([
          400,
          "invalid_request"
        ])
        yield* later(1_000)
        expect((yield* revocation).status).toBe(200)
      })
  )

  it.effect("I48: limits an IP address to 300 unauthenticated revocations per minute, whatever the client id", () =>
    Effect.gen(function* () {
      const { timed } = yield* AuthService
      const { form } = yield* timed({ limits: true })
      const tries = (i: number) => form(path, { token: "x", client_id: `client-${i}` })
      for (let i = 0; i < 300; i++) expect(codeOf(yield* tries(i))).toEqual([401, "invalid_client"])
      expect(codeOf(yield* tries(300))).toEqual([429, "temporarily_unavailable"])
    })
  )

  it.effect("returns 503 with Retry-After and changes nothing while the session is locked", () =>
    Effect.gen(function* () {
      const { logs } = yield* AuthService
      const sql = yield* SqlClient.SqlClient
      const { client, tokens } = yield* scene()
      const token: string = tokens.refresh_token
      const busy = yield* Effect.andThen(sql`select 1 from session for update`, revoke(client, { token })).pipe(
        sql.withTransaction
      )
      expect([busy.status, busy.body.error, busy.headers.get("retry-after")]).toEqual([
        503,
        "temporarily_unavailable",
        "1"
      ])
      expect((yield* refresh(client, token)).status).toBe(200)
      expect((yield* revoke(client, { token })).status).toBe(200)
      expect(logs.join("\n")).not.toContain(token)
    })
  )

  it.effect(
    "X3: allows revocations from pages of any origin, and returns the allowed method for any other method",
    () =>
      Effect.gen(function* () {
        const { get, issuer } = yield* AuthService
        const headers = { origin: "https://some.example", "access-control-request-method": "POST" }
        const preflight = yield* call(`${issuer}${path}`, { method: "OPTIONS", headers })
        expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
        const wrong = yield* get(path)
        expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
      })
  )
})
