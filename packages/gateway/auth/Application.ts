/** Authenticates the OAuth client that sends a form, and returns the client with the form. */
import { ClientAuthentication } from "@venue/auth/oauth/ClientAuthentication"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refused } from "./Refused.ts"
import * as RequestBody from "./RequestBody.ts"
import { type AuthSite, spend } from "./AuthSite.ts"

export type Form = ReadonlyMap<string, string>

/** Charges the IP address's bucket, because the OAuth client is not known yet. */
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
            refused("validation_failed", "client_id in the form differs from client_id in the Authorization header")
          )
      }
    )
    return { client, form }
  })
})
