/** Tests of applications' authorization requests and of users' decisions about them, over real sockets. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  approved,
  as,
  authorize,
  basic,
  codeOf,
  consent,
  exchange,
  opened,
  request,
  type Changes
} from "./Application.ts"
import type { Session } from "./AuthClient.ts"
import { AuthService, layer, redirectUri } from "./AuthService.ts"
import { wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("authorization and consent", (it) => {
  it.effect("A1, A2: returns 400 without a redirect for an unregistered application or redirect URI", () =>
    Effect.gen(function* () {
      const { register } = yield* AuthService
      const { clientId } = yield* register({ type: "public" })
      const nowhere = [
        request(clientId, { client_id: undefined }),
        request("00000000-0000-4000-8000-000000000000"),
        request("x".repeat(5_000)),
        `${request(clientId)}&client_id=${clientId}`,
        `${request(clientId)}&redirect_uri=${encodeURIComponent(redirectUri)}`,
        ...[
          undefined,
          "https://rp.example/cb",
          `${redirectUri}&more=1`,
          `${redirectUri}#x`,
          redirectUri.replace("https", "http"),
          redirectUri.replace("rp.", "RP."),
          redirectUri.replace("/cb", "/a/../cb"),
          redirectUri.replace("/cb", "/%63b"),
          redirectUri.replace("rp.example", "rp.example:8443"),
          redirectUri.replace("rp.example", "user@rp.example"),
          "javascript:alert(1)"
        ].map((redirect_uri) => request(clientId, { redirect_uri }))
      ]
      for (const query of nowhere) {
        const answer = yield* authorize(query)
        expect([...codeOf(answer), answer.headers.get("location")]).toEqual([400, "invalid_request", null])
        expect(answer.headers.get("x-frame-options")).toBe("DENY")
      }
    })
  )

  it.effect(
    "A3, A4: if the redirect URI is valid, redirects errors to the application with the state parameter unchanged",
    () =>
      Effect.gen(function* () {
        const { issuer, register } = yield* AuthService
        const { clientId } = yield* register({ type: "public" })
        const state = "a b+c%20&d=é".replace("é", "%C3%A9")
        const faults: ReadonlyArray<readonly [Changes, string]> = [
          [{ response_type: "token" }, "unsupported_response_type"],
          [{ response_type: undefined }, "invalid_request"],
          [{ code_challenge: undefined }, "invalid_request"],
          [{ code_challenge: "x".repeat(42) }, "invalid_request"],
          [{ code_challenge_method: "plain" }, "invalid_request"],
          [{ code_challenge_method: undefined }, "invalid_request"],
          [{ scope: "openid admin" }, "invalid_scope"],
          [{ request: "x" }, "request_not_supported"],
          [{ request_uri: "https://rp.example/r" }, "request_uri_not_supported"],
          [{ response_mode: "fragment" }, "invalid_request"],
          [{ max_age: "-1" }, "invalid_request"],
          [{ prompt: "none" }, "login_required"]
        ]
        for (const [changes, error] of faults) {
          const { headers, status } = yield* authorize(request(clientId, { ...changes, state }))
          const url = new URL(headers.get("location")!)
          expect(status).toBe(302)
          expect(Object.fromEntries(url.searchParams)).toMatchObject({ kept: "1", error, state, iss: issuer })
          expect(url.searchParams.has("code")).toBe(false)
        }
        const { headers } = yield* authorize(request(clientId, { state: undefined }))
        expect(new URL(headers.get("location")!).searchParams.has("state")).toBe(false)
      })
  )

  it.effect("A6: redirects to the consent page with headers that forbid caching, framing and referrers", () =>
    Effect.gen(function* () {
      const { origin, register } = yield* AuthService
      const { clientId } = yield* register({})
      const { headers, status } = yield* authorize(request(clientId))
      expect(status).toBe(302)
      expect(headers.get("location")).toMatch(`${origin}/sign-in?authorization_id=`)
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("x-frame-options")).toBe("DENY")
      expect(headers.get("content-security-policy")).toBe("frame-ancestors 'none'")
      expect(headers.get("set-cookie")).toBeNull()
    })
  )

  it.effect(
    "A5: shows the application and the scope on the consent page, and binds the request to the first user who opens it",
    () =>
      Effect.gen(function* () {
        const { get, register, signIn } = yield* AuthService
        const client = yield* register({})
        const session = yield* signIn(wallet())
        const stranger = yield* signIn(wallet())
        const id = yield* opened(client.clientId)
        const details = yield* get(`/oauth/authorizations/${id}`, as(session))
        expect(details.headers.get("cache-control")).toBe("no-store")
        expect(details.body).toEqual({
          authorization_id: id,
          redirect_uri: redirectUri,
          client: {
            id: client.clientId,
            name: "Example App",
            uri: "https://rp.example/",
            logo_uri: "https://rp.example/l.png"
          },
          user: { id: session.user.id, email: "" },
          scope: "openid profile"
        })
        expect((yield* get(`/oauth/authorizations/${id}`)).status).toBe(401)
        expect(yield* get(`/oauth/authorizations/${id}`, as(stranger))).toMatchObject({
          status: 404,
          body: { error_code: "oauth_authorization_not_found" }
        })
        expect((yield* consent(id, stranger)).status).toBe(404)
        expect((yield* consent("unknown", session)).status).toBe(404)
        expect((yield* consent(id, session)).status).toBe(200)
      })
  )

  it.effect("requires a new sign-in or a new consent if the application requests one", () =>
    Effect.gen(function* () {
      const { get, register, signIn } = yield* AuthService
      const client = yield* register({})
      const keeper = wallet()
      const session = yield* signIn(keeper)
      yield* approved(client.clientId, session)
      const details = (id: string, by: Session) => get(`/oauth/authorizations/${id}`, as(by))
      expect((yield* details(yield* opened(client.clientId), session)).body).toHaveProperty("redirect_url")
      const prompted = yield* details(yield* opened(client.clientId, { prompt: "consent" }), session)
      expect(prompted.body).toHaveProperty("client")
      for (const fresh of [{ max_age: "0" }, { prompt: "login" }]) {
        const id = yield* opened(client.clientId, fresh)
        expect(yield* details(id, session)).toMatchObject({
          status: 403,
          body: { error_code: "reauthentication_needed", error: "access_denied" }
        })
        expect((yield* consent(id, session)).status).toBe(403)
        const again = yield* signIn(keeper)
        expect((yield* consent(id, again)).status).toBe(200)
      }
    })
  )

  it.effect(
    "A5: accepts one decision about a consent request, and only from the consent page and the request's user",
    () =>
      Effect.gen(function* () {
        const { origin, register, signIn } = yield* AuthService
        const client = yield* register({ type: "public" })
        const session = yield* signIn(wallet())
        const id = yield* opened(client.clientId)
        expect((yield* consent(id, session, "maybe")).status).toBe(400)
        expect(codeOf(yield* consent(id, session, "approve", { origin: "https://evil.example" }))).toEqual([
          403,
          "access_denied"
        ])
        const denied = yield* consent(id, session, "deny", { origin })
        expect(new URL(denied.body.redirect_url).searchParams.get("error")).toBe("access_denied")
        expect((yield* consent(id, session)).status).toBe(400)

        const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
        const application = (yield* exchange(client, code)).body
        expect(codeOf(yield* consent(yield* opened(client.clientId), application))).toEqual([403, "access_denied"])
      })
  )

  it.effect("A6: skips the consent page only for scopes that a confidential application already has", () =>
    Effect.gen(function* () {
      const { get, register, signIn } = yield* AuthService
      const session = yield* signIn(wallet())
      const isAtOnce = Effect.fnUntraced(function* (clientId: string, scope: string) {
        const id = yield* opened(clientId, { scope })
        return "redirect_url" in (yield* get(`/oauth/authorizations/${id}`, as(session))).body
      })
      const confidential = yield* register({})
      const open = yield* register({ type: "public" })
      for (const { clientId } of [confidential, open]) yield* approved(clientId, session)
      expect(yield* isAtOnce(confidential.clientId, "openid")).toBe(true)
      expect(yield* isAtOnce(confidential.clientId, "openid email")).toBe(false)
      expect(yield* isAtOnce(open.clientId, "openid")).toBe(false)
    })
  )

  it.effect("A7: issues one code for ten concurrent approvals", () =>
    Effect.gen(function* () {
      const { register, signIn } = yield* AuthService
      const { clientId } = yield* register({ type: "public" })
      const session = yield* signIn(wallet())
      const id = yield* opened(clientId)
      const answers = yield* Effect.replicateEffect(consent(id, session), 10, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)])
    })
  )

  it.effect(
    "ends the application's sessions when the user withdraws the application's grant, and requires consent again",
    () =>
      Effect.gen(function* () {
        const { form, get, register, send, signIn } = yield* AuthService
        const client = yield* register({})
        const session = yield* signIn(wallet())
        const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
        const tokens = (yield* exchange(client, code)).body
        const grants = yield* get("/user/oauth/grants", as(session))
        expect(grants.body).toMatchObject([
          { client: { id: client.clientId, name: "Example App" }, scopes: ["openid", "profile"] }
        ])
        const withdraw = (who: Session) =>
          send("DELETE", `/user/oauth/grants?client_id=${client.clientId}`, undefined, as(who))
        expect(codeOf(yield* withdraw(tokens))).toEqual([403, "access_denied"])
        expect((yield* send("DELETE", "/user/oauth/grants", undefined, as(session))).status).toBe(400)
        expect((yield* withdraw(session)).status).toBe(204)
        expect((yield* withdraw(session)).status).toBe(404)
        const grant = { grant_type: "refresh_token", refresh_token: tokens.refresh_token }
        expect(codeOf(yield* form("/oauth/token", grant, basic(client)))).toEqual([400, "invalid_grant"])
        const id = yield* opened(client.clientId)
        expect((yield* get(`/oauth/authorizations/${id}`, as(session))).body).toHaveProperty("authorization_id")
      })
  )

  it.effect("refuses an application's request to change second factors", () =>
    Effect.gen(function* () {
      const { register, send, signIn } = yield* AuthService
      const client = yield* register({})
      const session = yield* signIn(wallet())
      const code = (yield* approved(client.clientId, session)).searchParams.get("code")!
      const tokens = (yield* exchange(client, code)).body
      expect(codeOf(yield* send("POST", "/factors", { factor_type: "totp" }, as(tokens)))).toEqual([
        403,
        "access_denied"
      ])
    })
  )
})
