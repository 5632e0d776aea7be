/** Token revocation endpoint (RFC 7009). */
import { TokenRevocation } from "@venue/auth/session/TokenRevocation"
import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Refused, refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as Application from "./Application.ts"
import { type AuthSite, busyMillis, spend } from "./AuthSite.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const application = yield* Application.make(site)
  const revocation = yield* TokenRevocation
  return [
    route(
      site,
      "POST",
      "/oauth/revoke",
      Effect.gen(function* () {
        const { client, form } = yield* application
        yield* spend(site, "revoke", yield* HttpServerRequest.HttpServerRequest, client.clientId)
        // `token_type_hint` is ignored, because the token's form shows its type.
        const token = form.get("token")
        if (token === undefined) return yield* refused("validation_failed", "token is required")
        yield* Effect.catchTag(revocation.revoke(client, Redacted.make(token)), "SessionBusy", () =>
          Effect.fail(new Refused({ refusal: "unavailable", retryAfterMillis: busyMillis }))
        )
        return HttpServerResponse.empty({ status: 200 })
      }),
      { pragma: "no-cache" }
    )
  ]
})
