/** Endpoints for the applications that the bearer has authorised. */
import { clientBody, type GrantBody } from "@venue/api/auth/Consent"
import { instant } from "@venue/api/Digits"
import { Consents } from "@venue/auth/oauth/Consents"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import type { AuthSite } from "./AuthSite.ts"
import * as Bearer from "./Bearer.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const bearer = Bearer.ownOnly(yield* Bearer.make(site))
  const consents = yield* Consents
  return [
    route(
      site,
      "GET",
      "/user/oauth/grants",
      Effect.gen(function* () {
        const { userId } = yield* bearer
        const grants = (yield* consents.list(userId)).map(({ client, grantedAtMillis, scopes }): GrantBody => ({
          client: clientBody(client),
          scopes,
          granted_at: instant(grantedAtMillis)
        }))
        return HttpServerResponse.jsonUnsafe(grants)
      })
    ),
    route(
      site,
      "DELETE",
      "/user/oauth/grants",
      Effect.gen(function* () {
        const { userId } = yield* bearer
        const [clientId, ...more] = (yield* RequestBody.query).getAll("client_id")
        if (clientId === undefined || more.length > 0) {
          return yield* refused("validation_failed", "client_id must occur exactly once in the query")
        }
        if (!(yield* consents.withdraw(userId, clientId))) return yield* refused("oauth_grant_not_found")
        return HttpServerResponse.empty({ status: 204 })
      })
    )
  ]
})
