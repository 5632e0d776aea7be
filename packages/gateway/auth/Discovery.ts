/** Public endpoints: discovery documents, verification keys and health. */
import { release } from "@venue/api/Release"
import { discovery } from "@venue/api/auth/Discovery"
import { jwksCacheSeconds } from "@venue/auth/keys/KeyRing"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Health } from "../http/Health.ts"
import { prefix, refusal } from "./Route.ts"
import type { AuthSite } from "./AuthSite.ts"

export const routes = Effect.fnUntraced(function* ({ issuer }: AuthSite) {
  const keys = yield* SigningKeys
  const { reason } = yield* Health
  const document = HttpServerResponse.jsonUnsafe(discovery(issuer), { headers: caching })
  return [
    HttpRouter.route("GET", `${prefix}/.well-known/openid-configuration`, document),
    HttpRouter.route("GET", `${prefix}/.well-known/oauth-authorization-server`, document),
    // RFC 8414 inserts the well-known part before the path of the issuer.
    HttpRouter.route("GET", `/.well-known/oauth-authorization-server${prefix}`, document),
    HttpRouter.route(
      "GET",
      `${prefix}/.well-known/jwks.json`,
      Effect.map(keys.jwks, (jwks) => HttpServerResponse.jsonUnsafe(jwks, { headers: caching }))
    ),
    HttpRouter.route("GET", `${prefix}/health`, live),
    HttpRouter.route("GET", "/health/live", live),
    HttpRouter.route(
      "GET",
      "/health/ready",
      Effect.sync(() => {
        const description = reason()
        return description === undefined
          ? HttpServerResponse.jsonUnsafe({ status: "ready", release })
          : refusal("unavailable", {}, { description })
      })
    )
  ]
})

const live = HttpServerResponse.jsonUnsafe({ status: "live", release })

const caching = { "cache-control": `public, max-age=${jwksCacheSeconds}` }
