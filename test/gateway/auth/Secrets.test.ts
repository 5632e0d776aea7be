/** Test that searches every output for the secrets that one run of the whole service issues. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import { dump } from "../../Postgres.ts"
import { clientKey } from "./AuthClient.ts"
import { AuthService, layer, redirectUri } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("secrets", (it) => {
  it.effect("X1, R5, I46: logs no secret, and stores none in plain text", () =>
    Effect.gen(function* () {
      const { form, get, logs, register, send, signIn, token } = yield* AuthService
      const someone = wallet()
      const proof = yield* someone.proof()
      const first = (yield* token("web3", proof)).body
      const refused = yield* someone.proof({ statement: "no" })
      yield* token("web3", refused)
      const second = (yield* token("refresh_token", { refresh_token: first.refresh_token })).body
      const as = { authorization: `Bearer ${second.access_token}` }

      const client = yield* register({})
      const verifier = randomBytes(32).toString("base64url")
      const state = randomBytes(16).toString("hex")
      const query = new URLSearchParams({
        client_id: client.clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid",
        state,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256"
      })
      const { headers } = yield* get(`/oauth/authorize?${query}`)
      const id = new URL(headers.get("location")!).searchParams.get("authorization_id")!
      const approved = yield* send("POST", `/oauth/authorizations/${id}/consent`, { action: "approve" }, as)
      const code = new URL(approved.body.redirect_url).searchParams.get("code")!
      const exchanged = yield* form(
        "/oauth/token",
        { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier },
        { authorization: `Basic ${btoa(`${client.clientId}:${client.secret}`)}` }
      )
      expect(exchanged.status).toBe(200)

      const factor = (yield* send("POST", "/factors", { factor_type: "totp" }, as)).body
      const challenge = (yield* send("POST", `/factors/${factor.id}/challenge`, {}, as)).body
      const shown = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate()
      const verify = { challenge_id: challenge.id, code: shown }
      const raised = (yield* send("POST", `/factors/${factor.id}/verify`, verify, as)).body
      yield* signIn(someone)

      const secrets: Readonly<Record<string, string>> = {
        signature: proof.signature.slice(2),
        refusedSignature: refused.signature.slice(2),
        accessToken: first.access_token,
        refreshToken: first.refresh_token,
        successor: second.refresh_token,
        authorizationId: id,
        code,
        verifier,
        clientSecret: client.secret,
        applicationAccessToken: exchanged.body.access_token,
        applicationRefreshToken: exchanged.body.refresh_token,
        idToken: exchanged.body.id_token,
        totpSecret: factor.totp.secret,
        recoveryCode: raised.recovery_codes[0],
        raisedToken: raised.refresh_token
      }
      const log = logs.join("\n")
      const stored = yield* dump
      expect(log).toContain(second.user.id)
      expect(stored).toContain(second.user.id)
      expect(stored).toContain(createHash("sha256").update(second.refresh_token).digest("hex"))
      for (const [name, text] of Object.entries(secrets)) {
        expect([name, text.length > 10, log.includes(text), stored.includes(text)]).toEqual([name, true, false, false])
      }
      for (const text of [state, clientKey, proof.message.split("\n").at(-2)!]) expect(log).not.toContain(text)
    })
  )
})
