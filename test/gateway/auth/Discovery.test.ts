/** Tests of the public endpoints, and of requests that are refused before routing, over real sockets. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, call, raw } from "../rest/RestClient.ts"
import { clientKey } from "./AuthClient.ts"
import { AuthService, layer } from "./AuthService.ts"

const codeOf = ({ body, status }: Answer) => [status, body?.error_code]

let isReady = true

it.layer(layer({ isReady: () => isReady }), { excludeTestServices: true, timeout: "60 seconds" })(
  "discovery and refusals before routing",
  (it) => {
    it.effect("D1: serves the same discovery document at three URLs, regardless of the forwarded host", () =>
      Effect.gen(function* () {
        const { issuer, origin } = yield* AuthService
        const addresses = [
          `${issuer}/.well-known/openid-configuration`,
          `${issuer}/.well-known/oauth-authorization-server`,
          `${origin}/.well-known/oauth-authorization-server/auth/v1`
        ]
        const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https", forwarded: "host=evil" }
        for (const address of addresses) {
          const { body, headers } = yield* call(address, { headers: forwarded })
          expect(body).toMatchObject({
            issuer,
            authorization_endpoint: `${issuer}/oauth/authorize`,
            token_endpoint: `${issuer}/oauth/token`,
            jwks_uri: `${issuer}/.well-known/jwks.json`,
            revocation_endpoint: `${issuer}/oauth/revoke`,
            revocation_endpoint_auth_methods_supported: ["client_secret_basic", "none"],
            code_challenge_methods_supported: ["S256"],
            authorization_response_iss_parameter_supported: true
          })
          expect(body).not.toHaveProperty("registration_endpoint")
          expect(body).toEqual((yield* call(addresses[0]!)).body)
          expect(headers.get("cache-control")).toBe("public, max-age=600")
        }
      })
    )

    it.effect("D1: publishes only public keys", () =>
      Effect.gen(function* () {
        const { get } = yield* AuthService
        const { body, headers } = yield* get("/.well-known/jwks.json")
        expect(headers.get("cache-control")).toBe("public, max-age=600")
        expect(body.keys).toHaveLength(1)
        const [key] = body.keys
        expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"])
        expect(key).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig", key_ops: ["verify"] })
      })
    )

    it.effect(
      "X3: returns 404 for an unknown path, and 405 with Allow for a wrong method, in the service's error format",
      () =>
        Effect.gen(function* () {
          const { get, origin, send } = yield* AuthService
          const unknown = yield* get("/nothing")
          expect([unknown.status, unknown.body]).toEqual([
            404,
            {
              code: 404,
              error_code: "not_found",
              msg: "The path does not exist",
              error: "invalid_request",
              error_description: "The path does not exist"
            }
          ])
          expect(yield* call(`${origin}/`)).toMatchObject({ status: 404, body: { error_code: "not_found" } })
          const wrong = yield* get("/token")
          expect(codeOf(wrong)).toEqual([405, "method_not_allowed"])
          expect(wrong.headers.get("allow")).toBe("POST, OPTIONS")
          const listed = yield* send("PUT", "/user")
          expect(listed.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
        })
    )

    it.effect("X3: responds to HEAD as to GET, but without a body", () =>
      Effect.gen(function* () {
        const { send } = yield* AuthService
        const { headers, status, text } = yield* send("HEAD", "/.well-known/jwks.json")
        expect([status, text, headers.get("cache-control")]).toEqual([200, "", "public, max-age=600"])
        expect((yield* send("HEAD", "/user")).status).toBe(401)
      })
    )

    it.effect("X3: allows cross-origin requests from any page, but consent requests only from the consent page", () =>
      Effect.gen(function* () {
        const { origin, send } = yield* AuthService
        const preflight = (path: string) =>
          send("OPTIONS", path, undefined, {
            origin: "https://some.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization"
          })
        const anybody = [
          "/token",
          "/oauth/token",
          "/oauth/userinfo",
          "/user",
          "/logout",
          "/factors",
          "/factors/x/verify"
        ]
        for (const path of [...anybody, "/user/oauth/grants", "/.well-known/jwks.json"]) {
          const { headers, status, text } = yield* preflight(path)
          expect([path, status, text]).toEqual([path, 204, ""])
          expect(headers.get("access-control-allow-origin")).toBe("*")
          expect(headers.get("access-control-allow-credentials")).toBeNull()
          expect(headers.get("access-control-allow-headers")).toBe(
            "authorization, apikey, content-type, x-client-info, x-supabase-api-version"
          )
        }
        for (const path of ["/oauth/authorize", "/oauth/authorizations/x", "/oauth/authorizations/x/consent"]) {
          const { headers, status } = yield* preflight(path)
          expect([path, status]).toEqual([path, 204])
          expect(headers.get("access-control-allow-origin")).toBe(origin)
          expect(headers.get("vary")).toBe("Origin")
        }
        expect(codeOf(yield* preflight("/nothing"))).toEqual([404, "not_found"])
      })
    )

    it.effect("X3: allows cross-origin pages to read refusals", () =>
      Effect.gen(function* () {
        const { send } = yield* AuthService
        const { headers, status } = yield* send("POST", "/token", "x".repeat(70_000))
        expect([status, headers.get("access-control-allow-origin")]).toEqual([413, "*"])
      })
    )

    it.effect("W12: refuses a chunked body above the size limit", () =>
      Effect.gen(function* () {
        const { issuer } = yield* AuthService
        const body = new Blob(["x".repeat(70_000)]).stream()
        const headers = { apikey: clientKey, "content-type": "application/json" }
        const init: RequestInit = { method: "POST", headers, body, duplex: "half" }
        expect(codeOf(yield* call(`${issuer}/token?grant_type=web3`, init))).toEqual([413, "request_entity_too_large"])
      })
    )

    it.effect("I50: refuses malformed HTTP in the service's error format", () =>
      Effect.gen(function* () {
        const { origin } = yield* AuthService
        const text = yield* raw(origin.replace("localhost", "127.0.0.1"), "POST /auth/v1/token HTTP/1.1\r\n:\r\n\r\n")
        const [head = "", body = ""] = text.split("\r\n\r\n")
        expect(head).toMatch(/^HTTP\/1\.1 400 /)
        expect(JSON.parse(body)).toMatchObject({ code: 400, error: "invalid_request", error_code: "validation_failed" })
      })
    )

    it.effect("refuses dynamic client registration, and returns 200 for the health check", () =>
      Effect.gen(function* () {
        const { get, send } = yield* AuthService
        expect(yield* send("POST", "/oauth/clients/register", {})).toMatchObject({
          status: 403,
          body: { error_code: "oauth_dynamic_client_registration_disabled" }
        })
        expect(yield* get("/health")).toMatchObject({ status: 200, body: { status: "live" } })
      })
    )

    it.effect("reports the service's liveness and the venue's readiness separately", () =>
      Effect.gen(function* () {
        const { origin, send } = yield* AuthService
        const health = (path: string, method = "GET") => call(`${origin}/health/${path}`, { method })
        expect(yield* health("ready")).toMatchObject({ status: 200, body: { status: "ready" } })
        isReady = false
        const drained = yield* health("ready")
        expect(drained).toMatchObject({
          status: 503,
          body: {
            code: 503,
            error: "temporarily_unavailable",
            error_description: "The service of this test is not ready."
          }
        })
        expect(drained.headers.get("cache-control")).toBe("no-store")
        expect(yield* health("live")).toMatchObject({ status: 200, body: { status: "live" } })
        expect(yield* health("live", "HEAD")).toMatchObject({ status: 200, text: "" })
        const wrong = yield* health("ready", "POST")
        expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
        // The service still serves requests while the venue is not ready.
        expect((yield* send("GET", "/user")).status).toBe(401)
        isReady = true
        expect((yield* health("ready")).status).toBe(200)
      })
    )
  }
)
