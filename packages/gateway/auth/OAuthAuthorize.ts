/** Begins an authorization: redirects to the consent page, or back to the application with an error. */
import { Authorize } from "@venue/auth/oauth/Authorize"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { refused } from "./Refused.ts"
import { prefix, refusal, route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import { type AuthSite, spend } from "./AuthSite.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const authorize = yield* Authorize
  return [
    route(
      site,
      "GET",
      "/oauth/authorize",
      Effect.gen(function* () {
        yield* spend(site, "authorize", yield* HttpServerRequest.HttpServerRequest)
        const begun = yield* Effect.catchTag(authorize.begin(yield* RequestBody.query), "AuthorizeRefused", () =>
          Effect.fail(refused("oauth_authorize_refused"))
        )
        return HttpServerResponse.redirect(begun._tag === "Consent" ? Redacted.value(begun.url) : begun.url)
      }),
      framing
    ),
    HttpRouter.route("POST", `${prefix}/oauth/clients/register`, refusal("oauth_dynamic_client_registration_disabled"))
  ]
})

/**
 * Prevents caching and `Referer` headers, because the query is confidential, and prevents other pages from framing
 * this one.
 */
const framing = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "content-security-policy": "frame-ancestors 'none'"
}
