/** Tests of second factors over HTTP. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Secret, TOTP } from "otpauth"
import type { Answer } from "../rest/RestClient.ts"
import { consent, opened } from "./Application.ts"
import type { Session } from "./AuthClient.ts"
import { AuthService, layer } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

const codeOf = ({ body, status }: Answer) => [status, body?.error_code]

/** Returns the authenticator's code for the current 30-second time step, or for the time step that is `steps` later. */
const shown = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

const factorCalls = Effect.gen(function* () {
  const { get, send, signIn, token } = yield* AuthService
  const as = ({ access_token }: Pick<Session, "access_token">) => ({ authorization: `Bearer ${access_token}` })
  return {
    signIn,
    token,
    user: (session: Session) => get("/user", as(session)),
    enrol: (session: Session, body: object = { factor_type: "totp" }) => send("POST", "/factors", body, as(session)),
    challenge: (session: Session, id: string) => send("POST", `/factors/${id}/challenge`, {}, as(session)),
    verify: (session: Session, id: string, challenge_id: string, code: string) =>
      send("POST", `/factors/${id}/verify`, { challenge_id, code }, as(session)),
    unenrol: (session: Session, id: string) => send("DELETE", `/factors/${id}`, undefined, as(session))
  }
})

/** Returns a user with a verified second factor. */
const enrolled = Effect.gen(function* () {
  const { challenge, enrol, signIn, verify } = yield* factorCalls
  const someone = wallet()
  const first = yield* signIn(someone)
  const { id, totp } = (yield* enrol(first)).body
  const { body } = yield* verify(first, id, (yield* challenge(first, id)).body.id, shown(totp.secret))
  return { someone, first, raised: body, factorId: id as string, secret: totp.secret as string }
})

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("second factors", (it) => {
  it.effect("M1: raises a session to aal2 once the user has enrolled and verified a second factor", () =>
    Effect.gen(function* () {
      const { challenge, enrol, signIn, token, user, verify } = yield* factorCalls
      const session = yield* signIn(wallet())
      const answer = yield* enrol(session, { factor_type: "totp", friendly_name: "phone", issuer: "Example Venue" })
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
      const { id, totp } = answer.body
      expect(answer.body).toMatchObject({ type: "totp", friendly_name: "phone" })
      expect(totp.qr_code).toMatch(/^<svg/)
      expect(totp.uri).toContain("otpauth://totp/Example%20Venue:phone")
      expect((yield* user(session)).body.factors).toMatchObject([{ id, friendly_name: "phone", status: "unverified" }])

      const challenged = yield* challenge(session, id)
      expect(challenged.body).toMatchObject({ type: "totp", expires_at: expect.any(Number) })
      const raised = yield* verify(session, id, challenged.body.id, shown(totp.secret))
      expect(raised.status).toBe(200)
      expect(raised.body).toMatchObject({
        token_type: "bearer",
        expires_in: 3600,
        user: { factors: [{ id, factor_type: "totp", status: "verified" }] }
      })
      expect(raised.body.recovery_codes).toHaveLength(10)
      expect(JSON.stringify(raised.body.user)).not.toContain(totp.secret)
      const payload = JSON.parse(atob(raised.body.access_token.split(".")[1]))
      expect(payload).toMatchObject({ aal: "aal2", amr: [{ method: "totp" }, { method: "web3" }] })

      const old = yield* token("refresh_token", { refresh_token: session.refresh_token })
      expect(old.status).toBe(400)
    })
  )

  it.effect("M2: refuses a wrong code, a challenge that was already used, and another user's factor", () =>
    Effect.gen(function* () {
      const { challenge, signIn, someoneElse, unenrol, verify } = {
        ...(yield* factorCalls),
        someoneElse: yield* (yield* AuthService).signIn(wallet())
      }
      const { factorId, raised, secret, someone } = yield* enrolled
      const again = yield* signIn(someone)
      const { id } = (yield* challenge(again, factorId)).body
      const wrong = shown(secret) === "000000" ? "000001" : "000000"
      expect(codeOf(yield* verify(again, factorId, id, wrong))).toEqual([422, "mfa_verification_failed"])
      expect(codeOf(yield* verify(again, factorId, crypto.randomUUID(), wrong))).toEqual([422, "mfa_challenge_expired"])
      expect(codeOf(yield* verify(raised, factorId, id, shown(secret, 1)))).toEqual([422, "mfa_challenge_expired"])
      expect(codeOf(yield* challenge(someoneElse, factorId))).toEqual([404, "mfa_factor_not_found"])
      expect(codeOf(yield* verify(someoneElse, factorId, id, wrong))).toEqual([404, "mfa_factor_not_found"])
      expect(codeOf(yield* unenrol(someoneElse, factorId))).toEqual([404, "mfa_factor_not_found"])
      expect((yield* verify(again, factorId, id, shown(secret, 1))).status).toBe(200)
      expect(codeOf(yield* verify(again, factorId, id, shown(secret, 1)))).toEqual([422, "mfa_challenge_expired"])
    })
  )

  it.effect("M3: refuses changes to second factors from a session that has not verified a second factor", () =>
    Effect.gen(function* () {
      const { enrol, signIn, unenrol, user } = yield* factorCalls
      const { factorId, raised, someone } = yield* enrolled
      const again = yield* signIn(someone)
      expect(codeOf(yield* enrol(again))).toEqual([403, "insufficient_aal"])
      expect(codeOf(yield* unenrol(again, factorId))).toEqual([422, "insufficient_aal"])
      expect((yield* user(raised)).body.factors).toHaveLength(1)
      const removed = yield* unenrol(raised, factorId)
      expect([removed.status, removed.body]).toEqual([200, { id: factorId }])
      expect((yield* user(raised)).body.factors).toEqual([])
    })
  )

  it.effect("A5: refuses consent from a session that has not verified the user's second factor", () =>
    Effect.gen(function* () {
      const { register, signIn } = yield* AuthService
      const { raised, someone } = yield* enrolled
      const { clientId } = yield* register({})
      const id = yield* opened(clientId)
      expect(codeOf(yield* consent(id, yield* signIn(someone)))).toEqual([403, "insufficient_aal"])
      expect((yield* consent(id, raised)).status).toBe(200)
    })
  )

  it.effect("accepts a recovery code once, and returns the number of remaining codes", () =>
    Effect.gen(function* () {
      const { challenge, signIn, verify } = yield* factorCalls
      const { factorId, raised, someone } = yield* enrolled
      const [code] = raised.recovery_codes
      const use = Effect.gen(function* () {
        const session = yield* signIn(someone)
        return yield* verify(session, factorId, (yield* challenge(session, factorId)).body.id, code)
      })
      expect(yield* use).toMatchObject({ status: 200, body: { recovery_codes_left: 9 } })
      expect(codeOf(yield* use)).toEqual([422, "mfa_verification_failed"])
    })
  )

  it.effect("refuses a factor name that the user already has, and an invalid body", () =>
    Effect.gen(function* () {
      const { enrol, signIn } = yield* factorCalls
      const session = yield* signIn(wallet())
      expect((yield* enrol(session, { factor_type: "totp", friendly_name: "a" })).status).toBe(200)
      expect(codeOf(yield* enrol(session, { factor_type: "totp", friendly_name: "a" }))).toEqual([
        422,
        "mfa_factor_name_conflict"
      ])
      for (const body of [{}, { factor_type: "phone" }, { factor_type: "totp", friendly_name: "x".repeat(65) }]) {
        expect(codeOf(yield* enrol(session, body))).toEqual([400, "validation_failed"])
      }
    })
  )

  it.effect("limits a factor to fifteen challenges per minute", () =>
    Effect.gen(function* () {
      const { challenge, enrol, signIn } = yield* factorCalls
      const session = yield* signIn(wallet())
      const { id } = (yield* enrol(session)).body
      for (let i = 0; i < 15; i++) expect((yield* challenge(session, id)).status).toBe(200)
      const { headers, ...answer } = yield* challenge(session, id)
      expect(codeOf({ headers, ...answer })).toEqual([429, "over_request_rate_limit"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
    })
  )

  it.effect(
    "I48: limits an IP address to fifteen enrolments per minute, including enrolments of factors that were removed",
    () =>
      Effect.gen(function* () {
        const { signIn, timed } = yield* AuthService
        const { send } = yield* timed({ limits: true })
        const { access_token } = yield* signIn(wallet())
        const ask = (method: string, path: string, body?: object) =>
          send(method, path, body, { authorization: `Bearer ${access_token}` })
        for (let i = 0; i < 15; i++) {
          const { body, status } = yield* ask("POST", "/factors", { factor_type: "totp" })
          expect(status).toBe(200)
          expect((yield* ask("DELETE", `/factors/${body.id}`)).status).toBe(200)
        }
        expect(codeOf(yield* ask("POST", "/factors", { factor_type: "totp" }))).toEqual([
          429,
          "over_request_rate_limit"
        ])
        expect((yield* ask("GET", "/user")).body.factors).toEqual([])
      })
  )
})
