/** OpenID Connect userinfo endpoint, with refusals as defined in RFC 6750. */
import type * as AuthError from "@venue/api/auth/AuthError"
import * as IdToken from "@venue/auth/oauth/IdToken"
import * as Scope from "@venue/auth/oauth/Scope"
import { Profiles } from "@venue/storage/access/Profiles"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { refused } from "./Refused.ts"
import { route } from "./Route.ts"
import type { AuthSite } from "./AuthSite.ts"
import * as Bearer from "./Bearer.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const bearer = yield* Bearer.make(site)
  const profiles = yield* Profiles
  const userInfo = Effect.gen(function* () {
    const { scope, userId } = yield* Effect.catchTag(bearer, "Refused", (fault) =>
      Effect.fail(unconverted.has(fault.refusal) ? fault : refused("token_refused"))
    )
    const granted = Scope.list(scope ?? "")
    // A session without `openid` gets only `sub`.
    const scopes = granted.includes("openid") ? granted : []
    return HttpServerResponse.jsonUnsafe(IdToken.userClaims(userId, yield* profiles.find(userId), scopes))
  })
  return [route(site, "GET", "/oauth/userinfo", userInfo), route(site, "POST", "/oauth/userinfo", userInfo)]
})

const unconverted: ReadonlySet<AuthError.Refusal> = new Set(["bearer_missing", "over_request_rate_limit"])
