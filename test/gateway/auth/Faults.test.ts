/** Tests of failures on the server's side, and of disabled features. */
import { WalletRefused, WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import * as AuthServer from "@venue/gateway/auth/AuthServer"
import { Captcha, CaptchaUnavailable } from "@venue/providers/Captcha"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { call } from "../rest/RestClient.ts"
import { clientKey, clientOf } from "./AuthClient.ts"
import { AuthService, layer } from "./AuthService.ts"
import { changesNothing } from "./Unchanged.ts"
import { wallet } from "./Wallet.ts"

const secret = "what only the log may know"

const pages = {
  routes: [
    { method: "GET", path: "/sign-in" },
    { method: "GET", path: "/sign-in/broken" }
  ],
  layer: Layer.mergeAll(
    HttpRouter.add("GET", "/sign-in", HttpServerResponse.text("a page")),
    HttpRouter.add("GET", "/sign-in/broken", Effect.die(new Error(secret)))
  )
}

const unavailable = Layer.succeed(
  Captcha,
  Captcha.of({ verify: () => Effect.fail(new CaptchaUnavailable({ fault: "timeout" })) })
)

it.layer(layer({ captcha: unavailable, pages: () => pages }), { excludeTestServices: true, timeout: "60 seconds" })(
  "faults",
  (it) => {
    it.effect("W18: stores nothing if a sign-in fails, and accepts the same sign-in message afterwards", () =>
      Effect.gen(function* () {
        const { logs, token } = yield* AuthService
        const sql = yield* SqlClient.SqlClient
        const proof = yield* wallet().proof()
        yield* sql`alter table audit add constraint broken check (false) not valid`
        const { body, status } = yield* changesNothing(token("web3", proof))
        expect([status, body.code, body.error_code, body.error]).toEqual([
          503,
          503,
          "unexpected_failure",
          "temporarily_unavailable"
        ])
        expect(Object.keys(body)).toHaveLength(6)
        expect(logs.filter((line) => line.includes(body.error_id))).toHaveLength(1)
        yield* sql`alter table audit drop constraint broken`
        expect((yield* token("web3", proof)).status).toBe(200)
      })
    )

    it.effect("returns 500 for an unexpected error, and writes the cause only to the log", () =>
      Effect.gen(function* () {
        const { logs, origin } = yield* AuthService
        const { body, headers, status, text } = yield* call(`${origin}/sign-in/broken`)
        expect([status, body.error_code, body.error]).toEqual([500, "unexpected_failure", "server_error"])
        expect(headers.get("cache-control")).toBe("no-store")
        expect(text).not.toContain(secret)
        expect(logs.some((line) => line.includes(body.error_id) && line.includes(secret))).toBe(true)
      })
    )

    it.effect("W15: refuses sign-ins while the CAPTCHA cannot be verified", () =>
      Effect.gen(function* () {
        const { other } = yield* AuthService
        const { token } = yield* other({ captcha: "always" })
        const proof = { ...(yield* wallet().proof()), svc_meta_security: { captcha_token: "token" } }
        const { body, status } = yield* changesNothing(token("web3", proof))
        expect([status, body.error_code, body.error, body.msg]).toEqual([
          503,
          "unexpected_failure",
          "temporarily_unavailable",
          "The captcha could not be verified; try again"
        ])
      })
    )

    it.effect("W15: a sign-in that is rejected because the queue is full does not count as a failed sign-in", () =>
      Effect.gen(function* () {
        const { issuer, origin } = yield* AuthService
        const wallets = yield* WalletSignIn
        let busy = 3
        const signIn: WalletSignIn["Service"]["signIn"] = (proof) =>
          busy-- > 0 ? Effect.fail(new WalletRefused({ reason: "busy" })) : wallets.signIn(proof)
        const { url } = yield* AuthServer.open({
          host: "127.0.0.1",
          port: 0,
          brand: "svc",
          issuer,
          consentOrigin: origin,
          clientKeys: [clientKey],
          captcha: "risk",
          limits: false,
          trustedProxies: [],
          allowPublicFormRefresh: false
        }).pipe(Effect.provideService(WalletSignIn, WalletSignIn.of({ isBusy: () => false, signIn })))
        const { token } = clientOf(url, issuer)
        const proof = yield* wallet().proof()
        const statuses = yield* Effect.replicateEffect(
          Effect.map(token("web3", proof), ({ status }) => status),
          4
        )
        expect(statuses).toEqual([503, 503, 503, 200])
      })
    )

    it.effect("serves the sign-in page on the service's listener, without cross-origin access", () =>
      Effect.gen(function* () {
        const { origin } = yield* AuthService
        const { headers, text } = yield* call(`${origin}/sign-in`, { headers: { origin: "https://some.example" } })
        expect([text, headers.get("access-control-allow-origin")]).toEqual(["a page", null])
      })
    )
  }
)

it.layer(layer({ walletsEnabled: false }), { excludeTestServices: true, timeout: "60 seconds" })(
  "wallets off",
  (it) => {
    it.effect("W14: returns 422 if wallet sign-in is disabled", () =>
      Effect.gen(function* () {
        const { token } = yield* AuthService
        const proof = yield* wallet().proof()
        expect(yield* changesNothing(token("web3", proof))).toMatchObject({
          status: 422,
          body: { error_code: "web3_provider_disabled", error: "invalid_request" }
        })
      })
    )
  }
)
