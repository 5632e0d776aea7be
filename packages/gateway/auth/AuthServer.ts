/** The authentication service on its port. */
import * as AuthError from "@venue/api/auth/AuthError"
import { WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { RefusalReason, Refusals, Route } from "../http/Gate.ts"
import * as HttpListener from "../http/HttpListener.ts"
import { fault, prefix, refusal } from "./Route.ts"
import * as AuthSite from "./AuthSite.ts"
import * as Consent from "./Consent.ts"
import { crossOrigin } from "./Cors.ts"
import * as Discovery from "./Discovery.ts"
import * as Factors from "./Factors.ts"
import * as Grants from "./Grants.ts"
import * as OAuthAuthorize from "./OAuthAuthorize.ts"
import * as OAuthRevoke from "./OAuthRevoke.ts"
import * as OAuthToken from "./OAuthToken.ts"
import * as LoadShedding from "./LoadShedding.ts"
import * as Token from "./Token.ts"
import * as User from "./User.ts"
import * as UserInfo from "./UserInfo.ts"

/** Pages served on the same origin as the authentication service, such as the sign-in and consent page. */
export interface Pages {
  readonly routes: ReadonlyArray<Route>
  readonly layer: Layer.Layer<never, never, HttpRouter.HttpRouter>
}

export interface AuthServerOptions extends AuthSite.AuthSiteOptions {
  readonly host: string
  readonly port: number
  readonly pages?: Pages
}

/** Opens the listener. Fails at startup if the issuer lacks the suffix `/auth/v1` or a trusted proxy is invalid. */
export const open = Effect.fn("AuthServer.open")(function* (options: AuthServerOptions) {
  const { consentOrigin, host, issuer, pages, port } = options
  if (!issuer.endsWith(prefix)) return yield* Effect.die(new Error(`the issuer does not end in ${prefix}: ${issuer}`))
  const site = yield* AuthSite.make(options)
  const routes = [
    ...(yield* Token.routes(site)),
    ...(yield* User.routes(site)),
    ...(yield* Factors.routes(site)),
    ...(yield* OAuthAuthorize.routes(site)),
    ...(yield* Consent.routes(site)),
    ...(yield* OAuthToken.routes(site)),
    ...(yield* OAuthRevoke.routes(site)),
    ...(yield* UserInfo.routes(site)),
    ...(yield* Grants.routes(site)),
    ...(yield* Discovery.routes(site))
  ]
  const api = HttpRouter.addAll(routes)
  const takes = LoadShedding.make(site, yield* WalletSignIn)
  return yield* HttpListener.listen({ host, port, what: "the authentication service" }, () => ({
    layer: pages === undefined ? api : Layer.merge(api, pages.layer),
    routes: [...routes, ...(pages?.routes ?? [])],
    takes,
    bodies: "any",
    crossOrigin: crossOrigin(consentOrigin),
    refusals
  }))
})

const refusals: Refusals = {
  refuse: (reason, headers, description) => refusal(refusalOf[reason], headers, { description }),
  unexpected: (cause) => fault("unexpected_failure", cause),
  // Unchanged, because the bodies of server errors already contain an id.
  identified: (answer) => answer,
  unparsable: ({ status, title }) => ({
    contentType: "application/json",
    body: { ...AuthError.body("validation_failed"), code: status, msg: title, error_description: title }
  })
}

const refusalOf: Readonly<Record<RefusalReason, AuthError.Refusal>> = {
  "no-such-path": "not_found",
  "method-not-allowed": "method_not_allowed",
  "body-too-large": "request_entity_too_large",
  "body-not-json": "bad_json",
  "invalid-request": "validation_failed",
  "deadline-passed": "request_timeout"
}
