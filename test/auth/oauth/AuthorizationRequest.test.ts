import { Authorize } from "@venue/auth/oauth/Authorize"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as OAuth from "./OAuthServices.ts"

/** Returns the URL to which a rejected request is redirected. Fails if the request is accepted. */
const sentBack = (query: URLSearchParams) =>
  Effect.gen(function* () {
    const begun = yield* OAuth.begin(query)
    if (begun._tag === "Consent") return assert.fail("the request was taken on")
    return new URL(begun.url)
  })

describe("AuthorizationRequest", () => {
  it.effect("redirects an accepted request to the venue's own consent page", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register()
      const begun = yield* OAuth.begin(OAuth.query(client.clientId))
      if (begun._tag !== "Consent") return assert.fail(begun.url)
      const id = Redacted.value(begun.authorizationId)
      assert.strictEqual(Redacted.value(begun.url), `${OAuth.consentPage}?authorization_id=${id}`)
      assert.notInclude(JSON.stringify(begun), id)
    }).pipe(Effect.provide(OAuth.memory))
  )

  it.effect("A1: does not redirect for an unknown client", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register()
      const { client: shut } = yield* OAuth.register()
      yield* (yield* OAuthClients).disable(shut.clientId)
      const twice = OAuth.query(client.clientId)
      twice.append("client_id", client.clientId)
      const reason = (query: URLSearchParams) =>
        Effect.map(Effect.flip(OAuth.begin(query)), (refused) =>
          refused._tag === "AuthorizeRefused" ? refused.reason : refused._tag
        )
      assert.strictEqual(yield* reason(twice), "client_id")
      assert.strictEqual(yield* reason(OAuth.query(client.clientId, { client_id: undefined })), "client_id")
      assert.strictEqual(yield* reason(OAuth.query("")), "client_id")
      assert.strictEqual(yield* reason(OAuth.query(shut.clientId)), "disabled_client")
      for (const unknown of [client.clientId.toUpperCase(), `${client.clientId} `, "\0", "nobody", "x".repeat(9_999)]) {
        assert.strictEqual(yield* reason(OAuth.query(unknown)), "unknown_client", unknown.slice(0, 40))
      }
    }).pipe(Effect.provide(OAuth.memory))
  )

  it.effect("A2: does not redirect to an unregistered redirect URI", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register({ redirectUris: [OAuth.redirectUri, "https://rp.example/"] })
      const { client: local } = yield* OAuth.register({
        type: "public",
        allowLoopback: true,
        redirectUris: ["http://localhost:57423/callback"]
      })
      const leadsNowhere = (query: URLSearchParams) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(OAuth.begin(query))
          assert.deepInclude(refused, { _tag: "AuthorizeRefused", reason: "redirect_uri" }, query.toString())
        })
      for (const redirect_uri of [
        undefined,
        "",
        `${OAuth.redirectUri}/more`,
        `${OAuth.redirectUri}x`,
        `${OAuth.redirectUri}/`,
        "https://rp.example/c",
        "https://rp.example",
        "https://RP.example/cb",
        "http://rp.example/cb",
        `${OAuth.redirectUri}?x=1`,
        "https://rp.example/%63b",
        "https://rp.example/x/../cb",
        "https://rp.example:443/cb",
        "https://user@rp.example/cb",
        `${OAuth.redirectUri}#`,
        `${OAuth.redirectUri}#x`,
        " https://rp.example/cb",
        "https://rp.example.evil.test/cb",
        "//rp.example/cb",
        "javascript:alert(1)"
      ]) {
        yield* leadsNowhere(OAuth.query(client.clientId, { redirect_uri }))
      }
      for (const redirect_uri of [
        "http://127.0.0.1:57423/callback",
        "http://[::1]:57423/callback",
        "http://localhost:57424/callback",
        "https://localhost:57423/callback"
      ]) {
        yield* leadsNowhere(OAuth.query(local.clientId, { redirect_uri }))
      }
      const twice = OAuth.query(client.clientId)
      twice.append("redirect_uri", OAuth.redirectUri)
      yield* leadsNowhere(twice)
    }).pipe(Effect.provide(OAuth.memory))
  )

  for (const [changes, error] of [
    [{ response_type: undefined }, "invalid_request"],
    [{ response_type: "" }, "invalid_request"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: "code id_token" }, "unsupported_response_type"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge: "" }, "invalid_request"],
    [{ code_challenge: OAuth.challenge.slice(1) }, "invalid_request"],
    [{ code_challenge: `${OAuth.challenge}A` }, "invalid_request"],
    [{ code_challenge: `${OAuth.challenge}=` }, "invalid_request"],
    [{ code_challenge: `${OAuth.challenge.slice(1)}+` }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: "s256" }, "invalid_request"],
    [{ scope: "openid trade" }, "invalid_scope"],
    [{ request: "eyJ" }, "request_not_supported"],
    [{ request_uri: "https://rp.example/r" }, "request_uri_not_supported"],
    [{ response_mode: "fragment" }, "invalid_request"],
    [{ nonce: "é" }, "invalid_request"],
    [{ nonce: "n".repeat(513) }, "invalid_request"],
    [{ resource: "not a uri" }, "invalid_target"],
    [{ resource: "https://api.venue.example/#x" }, "invalid_target"],
    [{ max_age: "-1" }, "invalid_request"],
    [{ max_age: "1.5" }, "invalid_request"],
    [{ max_age: "soon" }, "invalid_request"],
    [{ max_age: "1".repeat(11) }, "invalid_request"],
    [{ prompt: "none" }, "login_required"],
    [{ prompt: "none", max_age: "9999999999" }, "login_required"],
    [{ prompt: "consent none" }, "login_required"]
  ] as const) {
    it.effect(`A3, A4: redirects with the error ${error} for a request with ${JSON.stringify(changes)}`, () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const state = ` a+b%20&c=d"\\#'`
        const query = OAuth.query(client.clientId, {
          redirect_uri: "https://rp.example/cb?tenant=7",
          state,
          ...changes
        })
        const { href, searchParams } = yield* sentBack(query)
        assert.isTrue(href.startsWith("https://rp.example/cb?tenant=7&error="))
        assert.strictEqual(searchParams.get("error"), error)
        assert.match(searchParams.get("error_description")!, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
        assert.strictEqual(searchParams.get("state"), state)
        assert.strictEqual(searchParams.get("iss"), OAuth.issuer)
      }).pipe(Effect.provide(OAuth.memory))
    )
  }

  it.effect(
    "A3: omits the state from the redirect unless the state is short plain text that was sent exactly once",
    () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const twice = OAuth.query(client.clientId)
        twice.append("state", "a state")
        const states = [undefined, "", "x".repeat(513), "é", "a\nb", "\u0000"]
        for (const query of [twice, ...states.map((state) => OAuth.query(client.clientId, { state }))]) {
          const { searchParams } = yield* sentBack(query)
          assert.strictEqual(searchParams.get("error"), "invalid_request")
          assert.isFalse(searchParams.has("state"))
        }
      }).pipe(Effect.provide(OAuth.memory))
  )

  it.effect("A3: reports only the first error in the order of the checks", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register()
      const worst = { response_type: "token", code_challenge_method: "plain", scope: "trade", prompt: "none" }
      const first = (query: URLSearchParams) =>
        Effect.map(sentBack(query), ({ searchParams }) => searchParams.get("error"))
      const twice = OAuth.query(client.clientId, worst)
      twice.append("unknown", "1")
      twice.append("unknown", "2")
      assert.strictEqual(yield* first(twice), "invalid_request")
      const { clientId } = client
      assert.strictEqual(yield* first(OAuth.query(clientId, worst)), "unsupported_response_type")
      const { response_type: _, ...third } = worst
      assert.strictEqual(yield* first(OAuth.query(clientId, third)), "invalid_request")
      const { code_challenge_method: __, ...fourth } = third
      assert.strictEqual(yield* first(OAuth.query(clientId, fourth)), "invalid_scope")
      const { scope: ___, ...last } = fourth
      assert.strictEqual(yield* first(OAuth.query(clientId, last)), "login_required")
    }).pipe(Effect.provide(OAuth.memory))
  )

  it.effect(
    "treats a missing scope as `email`, treats an empty parameter as missing, and ignores unknown parameters",
    () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const empty = { scope: "", nonce: "", prompt: "", resource: "", response_mode: "", request: "" }
        const changes = { ...empty, unknown: "x" }
        const details = yield* (yield* Authorize).details(caller, yield* OAuth.requestId(client, changes))
        assert.strictEqual(details._tag === "Details" && details.scope, "email")
      }).pipe(Effect.provide(OAuth.memory))
  )
})
