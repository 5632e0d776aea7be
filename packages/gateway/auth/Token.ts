/** Token endpoint for the venue's own clients: sign-in by wallet message, and refresh. */
import type * as AuthError from "@venue/api/auth/AuthError"
import { brandedMembers, captchaToken, RefreshRequest, Web3Request } from "@venue/api/auth/Session"
import { memberName, neutrallyNamed } from "@venue/api/Brand"
import { mayRefresh } from "@venue/auth/oauth/CodeExchange"
import { type RefreshRefused, SessionTokens } from "@venue/auth/session/SessionTokens"
import { type WalletRefused, WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import { Captcha } from "@venue/providers/Captcha"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Sessions } from "@venue/storage/access/Sessions"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ClientAddress from "../http/ClientAddress.ts"
import { Refused, refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import { type AuthSite, busyMillis, spend } from "./AuthSite.ts"
import * as ClientKey from "./ClientKey.ts"
import * as SessionView from "./SessionView.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const signIn = yield* makeSignIn(site)
  const refresh = yield* makeRefresh(site)
  return [
    route(
      site,
      "POST",
      "/token",
      Effect.gen(function* () {
        const [grantType, ...more] = (yield* RequestBody.query).getAll("grant_type")
        if (more.length > 0) return yield* refused("validation_failed", "grant_type occurs more than once in the query")
        if (grantType === "web3") return yield* signIn
        if (grantType === "refresh_token") return yield* refresh
        return yield* refused("unsupported_grant_type", "grant_type in the query must be web3 or refresh_token")
      })
    )
  ]
})

const makeSignIn = Effect.fnUntraced(function* (site: AuthSite) {
  const captcha = yield* Captcha
  const view = yield* SessionView.make
  const wallets = yield* WalletSignIn
  const demandKey = ClientKey.demand(site.clientKeys)

  const solve = Effect.fnUntraced(function* (body: typeof Web3Request.Type, address: string) {
    const solved = captchaToken(body)
    if (solved === undefined) {
      return yield* refused(
        "captcha_failed",
        `${memberName(site.brand, "svc_meta_security")}.captcha_token is required`
      )
    }
    yield* captcha.verify(Redacted.make(solved), address)
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* demandKey(request)
    yield* spend(site, "signIn", request)
    const body = yield* RequestBody.json(Web3Request, (sent) => neutrallyNamed(site.brand, brandedMembers, sent))
    const address = site.clientAddress(request)
    const network = ClientAddress.network(address)
    const first = (yield* site.captcha.begin(network)) ? solve(body, address) : Effect.void
    const issued = yield* Effect.andThen(first, wallets.signIn(body)).pipe(
      Effect.catchTags({
        CaptchaRefused: () => Effect.fail(refused("captcha_failed")),
        WalletRefused: ({ detail, reason }) =>
          Effect.fail(
            reason === "busy"
              ? new Refused({ refusal: "unavailable", retryAfterMillis: busyMillis })
              : refused(walletRefusals[reason], detail)
          )
      }),
      // A sign-in that is refused because the queue is full does not count as a failed sign-in.
      Effect.tapErrorTag("Refused", ({ refusal }) =>
        refusal === "unavailable" ? Effect.void : Effect.ignore(site.captcha.fail(network))
      )
    )
    return HttpServerResponse.jsonUnsafe(yield* view.session(issued))
  })
})

const makeRefresh = Effect.fnUntraced(function* (site: AuthSite) {
  const clients = yield* OAuthClients
  const sessions = yield* Sessions
  const tokens = yield* SessionTokens
  const view = yield* SessionView.make
  const demandKey = ClientKey.demand(site.clientKeys)

  /** Requires the client key for a user's own session, and the `refresh_token` grant for a public client's session. */
  const demandRight = Effect.fnUntraced(function* (
    token: Redacted.Redacted,
    request: HttpServerRequest.HttpServerRequest
  ) {
    const row = yield* sessions.findToken(token)
    if (Option.isNone(row)) return
    const session = Option.getOrUndefined(yield* sessions.find(row.value.sessionId))
    if (session?.clientId === null) return yield* demandKey(request)
    if (!session?.publicClient) return
    const client = yield* clients.find(session.clientId)
    if (!Option.exists(client, mayRefresh)) return yield* refused("unauthorized_client")
  })

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const allowPublicForm = site.allowPublicFormRefresh && RequestBody.isForm(request)
    if (!allowPublicForm) yield* demandKey(request)
    yield* spend(site, "refresh", request)
    const refreshToken = allowPublicForm
      ? (yield* RequestBody.form).get("refresh_token")
      : (yield* RequestBody.json(RefreshRequest)).refresh_token
    if (refreshToken === undefined) return yield* refused("validation_failed", "refresh_token is required")
    const token = Redacted.make(refreshToken)
    if (allowPublicForm) yield* demandRight(token, request)
    const issued = yield* Effect.catchTag(
      tokens.refresh(token, { clientId: null, allowPublicForm }),
      "RefreshRefused",
      ({ reason }) => Effect.fail(refused(refreshRefusals[reason]))
    )
    return HttpServerResponse.jsonUnsafe(yield* view.session(issued))
  })
})

const walletRefusals: Readonly<Record<Exclude<WalletRefused["reason"], "busy">, AuthError.Refusal>> = {
  disabled: "web3_provider_disabled",
  chain: "web3_unsupported_chain",
  length: "validation_failed",
  signature_form: "validation_failed",
  message: "validation_failed",
  statement: "wallet_statement",
  uri: "wallet_uri",
  domain: "wallet_domain",
  time: "wallet_time",
  signature: "wallet_signature",
  reused: "wallet_reused",
  frozen: "user_banned"
}

const refreshRefusals: Readonly<Record<RefreshRefused["reason"], AuthError.Refusal>> = {
  malformed: "validation_failed",
  not_found: "refresh_token_not_found",
  user_gone: "user_not_found",
  user_frozen: "user_banned",
  session_ended: "session_ended",
  session_expired: "session_expired",
  wrong_client: "bound_to_client",
  // Cannot occur at this endpoint, because only applications send a scope.
  invalid_scope: "validation_failed",
  already_used: "refresh_token_already_used",
  busy: "conflict"
}
