/** Authenticates a request's access token. */
import type { TokenClaims } from "@venue/auth/session/AccessToken"
import { Bearers } from "@venue/auth/session/Bearers"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { UserStates } from "@venue/storage/access/UserStates"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Refused, refused } from "./Refused.ts"
import { type AuthSite, spend } from "./AuthSite.ts"

export type Bearer = Effect.Effect<TokenClaims, Refused | DatabaseUnavailable, HttpServerRequest.HttpServerRequest>

/** Accepts only tokens from the user's own sign-in, because an application must not change how its user signs in. */
export const ownOnly = (bearer: Bearer): Bearer =>
  Effect.flatMap(bearer, (claims) =>
    claims.clientId === null ? Effect.succeed(claims) : Effect.fail(refused("application_refused"))
  )

/** Charges the IP address's bucket before the token is verified. */
export const make: (site: AuthSite) => Effect.Effect<Bearer, never, Bearers | UserStates> = Effect.fnUntraced(
  function* (site) {
    const bearers = yield* Bearers
    const states = yield* UserStates
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const token = tokenOf(request.headers["authorization"] ?? "")
      if (token === undefined) return yield* refused("bearer_missing")
      yield* spend(site, "calls", request)
      const claims = yield* Effect.catchTags(bearers.verify(token), {
        InvalidToken: () => Effect.fail(refused("bad_jwt")),
        SessionEnded: () => Effect.fail(refused("session_not_found"))
      })
      const { exists, frozen } = yield* states.find(claims.userId)
      if (!exists) return yield* refused("user_not_found")
      if (frozen) return yield* refused("user_banned")
      return claims
    })
  }
)

/** Returns the unverified token of an `Authorization` header, or undefined if the header has no bearer token. */
export const tokenOf = (authorization: string): string | undefined => /^bearer +(\S+)$/i.exec(authorization)?.[1]
