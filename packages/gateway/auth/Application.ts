/** Which application sends a form, and what the form says. */
import { ClientAuthentication } from "@venue/auth/oauth/ClientAuthentication"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refused } from "./Refused.ts"
import * as RequestBody from "./RequestBody.ts"
import { type AuthSite, spend } from "./AuthSite.ts"

export type Form = ReadonlyMap<string, string>

/** Counts against the limit of the request's address: other limits are an application's, and nobody knows yet whose. */
export const make = Effect.fnUntraced(function* (site: AuthSite) {
  const clients = yield* ClientAuthentication
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const form: Form = yield* RequestBody.form
    yield* spend(site, "calls", request)
    const client = yield* Effect.catchTags(
      clients.authenticate({
        basic: request.headers["authorization"],
        form: { client_id: form.get("client_id"), client_secret: form.get("client_secret") }
      }),
      {
        InvalidClient: () => Effect.fail(refused("invalid_client")),
        ClientMismatch: () =>
          Effect.fail(
            refused("validation_failed", "client_id of the form differs from that of the Authorization header")
          )
      }
    )
    return { client, form }
  })
})
