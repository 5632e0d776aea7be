/** OAuth token endpoint: exchanges codes and refresh tokens. */
import type * as AuthError from "@venue/api/auth/AuthError"
import type { OAuthSession } from "@venue/api/auth/Session"
import { CodeExchange, type Exchanged, type ExchangeRefused, mayRefresh } from "@venue/auth/oauth/CodeExchange"
import type { RefreshRefused } from "@venue/auth/session/SessionTokens"
import type { OAuthClient } from "@venue/storage/access/OAuthClients"
import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as Application from "./Application.ts"
import { type AuthSite, spend } from "./AuthSite.ts"
import { tokens } from "./SessionView.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const application = yield* Application.make(site)
  const codes = yield* CodeExchange

  const refresh = Effect.fnUntraced(function* (client: OAuthClient, form: Application.Form) {
    const token = form.get("refresh_token")
    if (token === undefined) return yield* refused("validation_failed", "refresh_token is required")
    return yield* codes.refresh(client, Redacted.make(token), form.get("scope"))
  })

  const grant = Effect.fnUntraced(function* (client: OAuthClient, form: Application.Form) {
    const request = yield* HttpServerRequest.HttpServerRequest
    switch (form.get("grant_type")) {
      case "authorization_code":
        yield* spend(site, "exchange", request, client.clientId)
        return yield* codes.exchange(client, {
          code: secret(form.get("code")),
          redirectUri: form.get("redirect_uri"),
          codeVerifier: secret(form.get("code_verifier")),
          resource: form.get("resource")
        })
      case "refresh_token":
        yield* spend(site, "refresh", request)
        return yield* refresh(client, form)
      case undefined:
        return yield* refused("validation_failed", `grant_type is required: ${grantTypes}`)
      default:
        return yield* refused("unsupported_grant_type", `grant_type must be ${grantTypes}`)
    }
  })

  return [
    route(
      site,
      "POST",
      "/oauth/token",
      Effect.gen(function* () {
        const { client, form } = yield* application
        const exchanged = yield* Effect.catchTags(grant(client, form), {
          ExchangeRefused: ({ reason }) => Effect.fail(refused(exchangeRefusals[reason], exchangeTexts[reason])),
          RefreshRefused: ({ reason }) => Effect.fail(refused(refreshRefusals[reason]))
        })
        return HttpServerResponse.jsonUnsafe(yield* sessionOf(client, exchanged))
      }),
      { pragma: "no-cache" }
    )
  ]
})

const secret = (text: string | undefined): Redacted.Redacted | undefined =>
  text === undefined ? undefined : Redacted.make(text)

const sessionOf = (client: OAuthClient, { idToken, issued, scope }: Exchanged) =>
  Effect.map(tokens(issued), ({ refresh_token, ...session }): OAuthSession => ({
    ...session,
    ...(mayRefresh(client) ? { refresh_token } : {}),
    scope,
    user: { id: issued.session.userId },
    ...(idToken === undefined ? {} : { id_token: Redacted.value(idToken) })
  }))

const exchangeRefusals: Readonly<Record<ExchangeRefused["reason"], AuthError.Refusal>> = {
  grant_type: "unauthorized_client",
  parameters: "validation_failed",
  unknown_code: "invalid_grant",
  used_code: "invalid_grant",
  expired_code: "invalid_grant",
  redirect_uri: "invalid_grant",
  verifier: "invalid_grant",
  resource: "invalid_target",
  user: "invalid_grant"
}

/**
 * The same text for every unusable code, because different texts would reveal whether the code was used or has
 * expired.
 */
const unusableCode = "The code is unknown, expired or already used; start again at /oauth/authorize"
const exchangeTexts: Readonly<Partial<Record<ExchangeRefused["reason"], string>>> = {
  parameters:
    "code, redirect_uri and code_verifier are required; code_verifier must have 43 to 128 unreserved characters",
  unknown_code: unusableCode,
  used_code: unusableCode,
  expired_code: unusableCode,
  user: unusableCode,
  redirect_uri: "redirect_uri must equal the redirect_uri of the authorization request",
  verifier: "code_verifier does not match the code_challenge of the authorization request"
}

const grantTypes = "authorization_code or refresh_token"

const refreshRefusals: Readonly<Record<RefreshRefused["reason"], AuthError.Refusal>> = {
  malformed: "invalid_grant",
  not_found: "refresh_token_not_found",
  user_gone: "invalid_grant",
  user_frozen: "invalid_grant",
  session_ended: "session_ended",
  session_expired: "session_expired",
  wrong_client: "invalid_grant",
  invalid_scope: "invalid_scope",
  already_used: "refresh_token_already_used",
  busy: "conflict"
}
