/** Endpoints of the consent page: an authorization request's details, and the user's decision. */
import { type AuthorizationBody, clientBody, ConsentRequest, type Leave } from "@venue/api/auth/Consent"
import { type Answered, Authorize, type ConsentRefused, type Details } from "@venue/auth/oauth/Authorize"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Refused, refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import type { AuthSite } from "./AuthSite.ts"
import * as Bearer from "./Bearer.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const authorize = yield* Authorize
  const bearer = yield* Bearer.make(site)
  const authorizationId = Effect.map(HttpRouter.params, ({ authorizationId }) => authorizationId!)

  /** Rejects requests from other origins, because only the consent page is allowed to request consent. */
  const demandOurPage = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    (headers["origin"] ?? site.consentOrigin) === site.consentOrigin
      ? Effect.void
      : Effect.fail(refused("origin_refused"))
  )

  return [
    route(
      site,
      "GET",
      "/oauth/authorizations/:authorizationId",
      Effect.gen(function* () {
        yield* demandOurPage
        const caller = yield* bearer
        const id = yield* authorizationId
        const pending = yield* authorize.details(caller, Redacted.make(id))
        return HttpServerResponse.jsonUnsafe(pending._tag === "Answered" ? leave(pending) : details(id, pending))
      }).pipe(Effect.mapError(refusalOf))
    ),
    route(
      site,
      "POST",
      "/oauth/authorizations/:authorizationId/consent",
      Effect.gen(function* () {
        yield* demandOurPage
        const caller = yield* bearer
        const { action } = yield* RequestBody.json(ConsentRequest)
        const answered = yield* authorize.decide(caller, Redacted.make(yield* authorizationId), action)
        return HttpServerResponse.jsonUnsafe(leave(answered))
      }).pipe(Effect.mapError(refusalOf))
    )
  ]
})

const leave = ({ redirectUrl }: Answered): Leave => ({ redirect_url: Redacted.value(redirectUrl) })

const details = (id: string, { client, redirectUri, scope, userId }: Details): AuthorizationBody => ({
  authorization_id: id,
  redirect_uri: redirectUri,
  client: clientBody(client),
  user: { id: userId, email: "" },
  scope
})

const refusalOf = (fault: ConsentRefused | Refused | DatabaseUnavailable): Refused | DatabaseUnavailable => {
  switch (fault._tag) {
    case "AlreadyDecided":
      return refused("oauth_authorization_not_pending")
    case "ApplicationMayNotConsent":
      return refused("application_refused")
    case "AuthorizationNotFound":
      return refused("oauth_authorization_not_found")
    case "InsufficientAal":
      return refused("insufficient_aal")
    case "SessionBusy":
      return refused("conflict")
    case "SessionEnded":
      return refused("session_not_found")
    case "SignInTooOld":
      return refused("reauthentication_needed")
    case "DatabaseUnavailable":
    case "Refused":
      return fault
  }
}
