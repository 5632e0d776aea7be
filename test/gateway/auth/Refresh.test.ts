/** Tests of session refreshes, over real sockets and a real database. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientKey, type Session } from "./AuthClient.ts"
import { AuthService, layer } from "./AuthService.ts"
import { changesNothing } from "./Unchanged.ts"
import { wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("refresh", (it) => {
  it.effect("R1, R8: returns new tokens for the same user", () =>
    Effect.gen(function* () {
      const { signIn, token } = yield* AuthService
      const first = yield* signIn(wallet())
      const { body, headers, status } = yield* token("refresh_token", { refresh_token: first.refresh_token })
      expect([status, headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(body).toMatchObject({ token_type: "bearer", expires_in: 3600, user: { id: first.user.id } })
      expect(body.refresh_token).not.toBe(first.refresh_token)
      const repeated = yield* token("refresh_token", { refresh_token: first.refresh_token })
      expect(repeated.body.refresh_token).toBe(body.refresh_token)
    })
  )

  it.effect("R2, I43: ends the session if a token two generations old is reused", () =>
    Effect.gen(function* () {
      const { get, signIn, token } = yield* AuthService
      const first = yield* signIn(wallet())
      const next = (refresh_token: string) => token("refresh_token", { refresh_token })
      const second = (yield* next(first.refresh_token)).body
      const third = (yield* next(second.refresh_token)).body
      expect(yield* next(first.refresh_token)).toMatchObject({
        status: 400,
        body: { error_code: "refresh_token_already_used", error: "invalid_grant" }
      })
      expect(yield* next(third.refresh_token)).toMatchObject({ status: 400, body: { error_code: "session_not_found" } })
      const { body, status } = yield* Effect.repeat(get("/user", { authorization: `Bearer ${third.access_token}` }), {
        until: ({ status }) => status !== 200
      })
      expect([status, body.error_code]).toEqual([403, "session_not_found"])
    })
  )

  it.effect("R3: returns the same successor token to fifty concurrent refreshes", () =>
    Effect.gen(function* () {
      const { signIn, token } = yield* AuthService
      const { refresh_token } = yield* signIn(wallet())
      const answers = yield* Effect.replicateEffect(token("refresh_token", { refresh_token }), 50, {
        concurrency: "unbounded"
      })
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    })
  )

  it.effect(
    "R1, R4, R8: repeats a lost response, but ends the session if an old token is reused or after thirty days",
    () =>
      Effect.gen(function* () {
        const { signIn, timed } = yield* AuthService
        const { later, token } = yield* timed({})
        const next = ({ refresh_token }: Pick<Session, "refresh_token">) => token("refresh_token", { refresh_token })
        const first = yield* signIn(wallet())
        yield* later(5_000)
        const second = (yield* next(first)).body
        expect(second.expires_at - first.expires_at).toBeGreaterThanOrEqual(4)
        yield* later(3 * 24 * 60 * 60 * 1_000)
        expect((yield* next(first)).body.refresh_token).toBe(second.refresh_token)
        const third = (yield* next(second)).body
        yield* later(10_001)
        expect((yield* next(first)).body.error_code).toBe("refresh_token_already_used")
        expect((yield* next(third)).body.error_code).toBe("session_not_found")
        const idle = yield* signIn(wallet())
        yield* later(30 * 24 * 60 * 60 * 1_000)
        expect(yield* next(idle)).toMatchObject({ status: 400, body: { error_code: "session_expired" } })
      })
  )

  it.effect("R4: refuses an unknown or malformed refresh token and changes nothing", () =>
    Effect.gen(function* () {
      const { send, token } = yield* AuthService
      const code = (refresh_token: unknown) =>
        Effect.map(token("refresh_token", { refresh_token }), ({ body, status }) => [status, body.error_code])
      yield* changesNothing(
        Effect.gen(function* () {
          for (const shown of ["", "vrt_", "abc", `vrt_${"x".repeat(44)}`, "x".repeat(10_000), 1, null, undefined]) {
            expect(yield* code(shown)).toEqual([400, "validation_failed"])
          }
          expect(yield* code(`vrt_${"x".repeat(43)}`)).toEqual([400, "refresh_token_not_found"])
        })
      )
      const noKey = yield* send("POST", "/token?grant_type=refresh_token", { refresh_token: `vrt_${"x".repeat(43)}` })
      expect([noKey.status, noKey.body.error_code]).toEqual([401, "no_authorization"])
    })
  )

  it.effect("R6: requires the client key when a form-encoded request refreshes a user's own session", () =>
    Effect.gen(function* () {
      const { form, other, signIn } = yield* AuthService
      const { refresh_token } = yield* signIn(wallet())
      const path = "/token?grant_type=refresh_token"
      expect(yield* form(path, { refresh_token })).toMatchObject({
        status: 401,
        body: { error_code: "no_authorization" }
      })
      const strict = yield* other({ allowPublicFormRefresh: false })
      expect((yield* strict.form(path, { refresh_token })).status).toBe(401)
      const keyed = { apikey: clientKey }
      expect((yield* strict.form(path, { refresh_token }, keyed)).body.error_code).toBe("bad_json")
      expect((yield* form(path, { refresh_token }, keyed)).status).toBe(200)
    })
  )
})
