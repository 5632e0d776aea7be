/** Whose access token a request brings. */
import type { TokenClaims } from "@venue/auth/session/AccessToken"
import { Bearers } from "@venue/auth/session/Bearers"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { UserStates } from "@venue/storage/access/UserStates"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Refused, refused } from "./Refused.ts"
import { type AuthSite, spend } from "./AuthSite.ts"

export type Bearer = Effect.Effect<TokenClaims, Refused | DatabaseUnavailable, HttpServerRequest.HttpServerRequest>

/** The bearer signed in themselves: an application acts for its user, but not on how that user signs in. */
export const ownOnly = (bearer: Bearer): Bearer =>
  Effect.flatMap(bearer, (claims) =>
    claims.clientId === null ? Effect.succeed(claims) : Effect.fail(refused("application_refused"))
  )

/** Counts against the limit of the request's address, whoever it is. */
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

/** The token of an `Authorization` header, whatever it may be worth; undefined when the header brings none. */
export const tokenOf = (authorization: string): string | undefined => /^bearer +(\S+)$/i.exec(authorization)?.[1]
