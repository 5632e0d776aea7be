/** Token endpoint: exchanges a code for tokens, and later refreshes the tokens. */
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations, type Code } from "@venue/storage/access/Authorizations"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { Profiles } from "@venue/storage/access/Profiles"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { UserStates } from "@venue/storage/access/UserStates"
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import * as IdToken from "./IdToken.ts"
import * as Pkce from "./Pkce.ts"
import * as Scope from "./Scope.ts"
import { type Issued, type RefreshRefused, SessionTokens } from "../session/SessionTokens.ts"
import { SigningKeys } from "../keys/SigningKeys.ts"

/** Form parameters of a code exchange. */
export interface Redemption {
  readonly code: Redacted.Redacted | undefined
  readonly redirectUri: string | undefined
  readonly codeVerifier: Redacted.Redacted | undefined
  readonly resource: string | undefined
}

export interface Exchanged {
  readonly issued: Issued
  /** Scope of the access token. */
  readonly scope: string
  /** Present only in exchange for a code, and only if `openid` was granted. */
  readonly idToken: Redacted.Redacted | undefined
}

/** Returns true if the client is allowed to refresh sessions: it is enabled, and registered for the refresh grant. */
export const mayRefresh = (client: OAuthClient): boolean =>
  client.disabledAtMillis === null && client.grantTypes.includes("refresh_token")

/**
 * Callers receive the reasons `parameters`, `resource` and `grant_type` unchanged, and every other reason as
 * `invalid_grant`.
 */
export class ExchangeRefused extends Schema.TaggedError<ExchangeRefused>()("ExchangeRefused", {
  reason: Schema.Literals([
    "grant_type",
    "parameters",
    "unknown_code",
    "used_code",
    "expired_code",
    "redirect_uri",
    "verifier",
    "resource",
    "user"
  ])
}) {}

export class CodeExchange extends Context.Service<
  CodeExchange,
  {
    /**
     * Exchanges a code, which works only once. A second use is refused and ends the session that the first use began;
     * the used code and the ended session are committed despite the refusal. A code that another client presents is
     * not used up.
     */
    readonly exchange: (
      client: OAuthClient,
      redemption: Redemption
    ) => Effect.Effect<Exchanged, ExchangeRefused | DatabaseUnavailable>
    /** Refreshes tokens. `scope` can narrow the scope of the new access token only. */
    readonly refresh: (
      client: OAuthClient,
      token: Redacted.Redacted,
      scope?: string
    ) => Effect.Effect<Exchanged, ExchangeRefused | RefreshRefused | DatabaseUnavailable>
  }
>()("@venue/auth/oauth/CodeExchange") {
  static readonly layer = (options: {
    readonly issuer: string
  }): Layer.Layer<
    CodeExchange,
    never,
    Audit | Authorizations | OAuthClients | Profiles | Sessions | SessionTokens | SigningKeys | Transaction | UserStates
  > => Layer.effect(CodeExchange, make(options))
}

const make = Effect.fnUntraced(function* ({ issuer }: { readonly issuer: string }) {
  const audit = yield* Audit
  const authorizations = yield* Authorizations
  const clients = yield* OAuthClients
  const sessions = yield* Sessions
  const tokens = yield* SessionTokens
  const transaction = yield* Transaction
  const states = yield* UserStates
  const begin = yield* beginning(issuer)

  /** Either use might be a thief's, so the session is no longer trusted. */
  const endWhatItBecame = Effect.fnUntraced(function* (code: Redacted.Redacted) {
    const used = Option.getOrUndefined(yield* authorizations.findCode(code))
    if (used === undefined || used.sessionId === null) return
    const { clientId, sessionId, userId } = used
    yield* sessions.end([sessionId])
    yield* audit.record({ action: "code_reused", actor: userId, subject: userId, facts: { clientId, sessionId } })
  })

  const redeem = Effect.fnUntraced(function* (client: OAuthClient, redemption: Whole) {
    const { code, codeVerifier, redirectUri, resource } = redemption
    // The client might have been disabled since it authenticated, and a disabled client must not begin a session.
    if (!(yield* clients.holdEnabled(client.clientId))) return refuse("grant_type")
    const held = yield* authorizations.findCode(code)
    if (Option.isNone(held) || held.value.clientId !== client.clientId) return refuse("unknown_code")
    const found = held.value
    if (!found.isConsumed && found.expiresAtMillis <= (yield* Clock.currentTimeMillis)) {
      return refuse("expired_code")
    }
    // The slower of two concurrent exchanges waits here for the other transaction.
    if (found.isConsumed || !(yield* authorizations.consume(code))) {
      yield* endWhatItBecame(code)
      return refuse("used_code")
    }
    if (redirectUri !== found.redirectUri) return refuse("redirect_uri")
    if (!Pkce.matches(codeVerifier, found.codeChallenge)) return refuse("verifier")
    if (resource !== undefined && resource !== found.resource) return refuse("resource")
    const { exists, frozen } = yield* states.find(found.userId)
    if (!exists || frozen) return refuse("user")
    return Result.succeed(yield* begin(client, code, found))
  })

  return CodeExchange.of({
    exchange: Effect.fn("CodeExchange.exchange")(function* (client: OAuthClient, redemption: Redemption) {
      if (!client.grantTypes.includes("authorization_code")) {
        return yield* new ExchangeRefused({ reason: "grant_type" })
      }
      if (!isWhole(redemption)) return yield* new ExchangeRefused({ reason: "parameters" })
      // A refusal is returned as a value, because a failure would roll back the used code and the ended session.
      return yield* Effect.fromResult(yield* transaction.run(redeem(client, redemption)))
    }),
    refresh: Effect.fn("CodeExchange.refresh")(function* (
      client: OAuthClient,
      token: Redacted.Redacted,
      scope?: string
    ) {
      if (!mayRefresh(client)) return yield* new ExchangeRefused({ reason: "grant_type" })
      const issued = yield* tokens.refresh(token, { clientId: client.clientId, ...(scope && { scope }) })
      return { issued, scope: issued.scope ?? "", idToken: undefined }
    })
  })
})

/** Exchanges a code for a session, with an ID token if `openid` was granted. */
const beginning = Effect.fnUntraced(function* (issuer: string) {
  const audit = yield* Audit
  const authorizations = yield* Authorizations
  const keys = yield* SigningKeys
  const profiles = yield* Profiles
  const tokens = yield* SessionTokens

  const idToken = Effect.fnUntraced(function* (found: Code, { accessToken, session }: Issued) {
    const scopes = Scope.list(found.scope)
    if (!Scope.covers(scopes, ["openid"])) return undefined
    const claims = IdToken.claims({
      issuer,
      clientId: found.clientId,
      user: IdToken.userClaims(found.userId, yield* profiles.find(found.userId), scopes),
      nonce: found.nonce,
      provenAtSeconds: found.signedIn.amr[0]!.timestamp,
      nowSeconds: Math.floor(session.createdAtMillis / 1000),
      accessToken
    })
    return Redacted.make(yield* keys.sign(claims, "JWT"))
  })

  return Effect.fnUntraced(function* (client: OAuthClient, code: Redacted.Redacted, found: Code) {
    const { clientId } = client
    const { scope, signedIn, userId } = found
    const issued = yield* tokens.begin({
      userId,
      clientId,
      publicClient: client.type === "public",
      scope,
      method: "oauth_provider/authorization_code",
      ...signedIn
    })
    const { sessionId } = issued.session
    yield* authorizations.produced(code, sessionId)
    yield* audit.record({ action: "code_exchanged", actor: userId, subject: userId, facts: { clientId, sessionId } })
    const exchanged: Exchanged = { issued, scope, idToken: yield* idToken(found, issued) }
    return exchanged
  })
})

interface Whole extends Redemption {
  readonly code: Redacted.Redacted
  readonly redirectUri: string
  readonly codeVerifier: Redacted.Redacted
}

const isWhole = (redemption: Redemption): redemption is Whole =>
  redemption.code !== undefined &&
  redemption.redirectUri !== undefined &&
  redemption.codeVerifier !== undefined &&
  Pkce.isVerifier(redemption.codeVerifier)

const refuse = (reason: ExchangeRefused["reason"]) => Result.fail(new ExchangeRefused({ reason }))
