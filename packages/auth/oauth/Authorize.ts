/** Applications' authorization requests and users' decisions, up to the issue of a code. */
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { type Authorization, Authorizations } from "@venue/storage/access/Authorizations"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Grants } from "@venue/storage/access/Grants"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { type Session, type SessionBusy, SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Buffer } from "node:buffer"
import type { TokenClaims } from "../session/AccessToken.ts"
import { liveSession } from "../session/LiveSession.ts"
import * as AuthorizationRequest from "./AuthorizationRequest.ts"
import { isRegistered, withParameters } from "./RedirectUri.ts"
import * as Scope from "./Scope.ts"
import { hasProvedTwice, InsufficientAal, SecondFactor } from "../session/SecondFactor.ts"

/** Where to redirect the browser: to the consent page, or back to the application with an error. */
export type Begun =
  | { readonly _tag: "Consent"; readonly authorizationId: Redacted.Redacted; readonly url: Redacted.Redacted }
  | { readonly _tag: "Redirect"; readonly url: string }

export interface Details {
  readonly _tag: "Details"
  readonly redirectUri: string
  readonly client: Pick<OAuthClient, "clientId" | "name" | "clientUri" | "logoUri">
  readonly userId: UserId
  readonly scope: string
}

/** Response to the application, which contains a code if the user consented. */
export interface Answered {
  readonly _tag: "Answered"
  readonly redirectUrl: Redacted.Redacted
}

/** The application or its redirect URI is unknown, so the browser must not be redirected. `reason` is for logs. */
export class AuthorizeRefused extends Schema.TaggedError<AuthorizeRefused>()("AuthorizeRefused", {
  reason: Schema.Literals(["client_id", "unknown_client", "disabled_client", "redirect_uri"])
}) {}

/** The authorization is unknown, has expired, or belongs to another user. */
export class AuthorizationNotFound extends Schema.TaggedError<AuthorizationNotFound>()("AuthorizationNotFound", {}) {}

/** The authorization was already approved or denied. */
export class AlreadyDecided extends Schema.TaggedError<AlreadyDecided>()("AlreadyDecided", {}) {}

/** An application's token cannot be used to consent on the user's behalf. */
export class ApplicationMayNotConsent extends Schema.TaggedError<ApplicationMayNotConsent>()(
  "ApplicationMayNotConsent",
  { clientId: Schema.String }
) {}

/** The application requires a more recent sign-in than that of this session. */
export class SignInTooOld extends Schema.TaggedError<SignInTooOld>()("SignInTooOld", { sessionId: Schema.String }) {}

export type ConsentRefused =
  | AlreadyDecided
  | ApplicationMayNotConsent
  | AuthorizationNotFound
  | InsufficientAal
  | SessionBusy
  | SessionEnded
  | SignInTooOld

export interface AuthorizeOptions {
  /** Issuer as it appears in tokens, without a trailing slash. */
  readonly issuer: string
  readonly consentPage: string
}

export class Authorize extends Context.Service<
  Authorize,
  {
    /** Begins an authorization, valid for ten minutes. Takes the raw query to detect repeated parameters. */
    readonly begin: (query: URLSearchParams) => Effect.Effect<Begun, AuthorizeRefused | DatabaseUnavailable>
    /**
     * Binds the authorization to the first user who calls this. Approves immediately if the user has granted these
     * scopes to the client before. The user must still decide if the application requests a prompt, or if the client
     * is public, because a public client's identity is unproven.
     */
    readonly details: (
      caller: TokenClaims,
      authorizationId: Redacted.Redacted
    ) => Effect.Effect<Details | Answered, ConsentRefused | DatabaseUnavailable>
    readonly decide: (
      caller: TokenClaims,
      authorizationId: Redacted.Redacted,
      decision: "approve" | "deny"
    ) => Effect.Effect<Answered, ConsentRefused | DatabaseUnavailable>
  }
>()("@venue/auth/oauth/Authorize") {
  static readonly layer = (
    options: AuthorizeOptions
  ): Layer.Layer<
    Authorize,
    never,
    Audit | Authorizations | Grants | OAuthClients | SecondFactor | SecureRandom.SecureRandom | Sessions | Transaction
  > => Layer.effect(Authorize, make(options))
}

const make = Effect.fnUntraced(function* (options: AuthorizeOptions) {
  const audit = yield* Audit
  const authorizations = yield* Authorizations
  const grants = yield* Grants
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* Sessions
  const transaction = yield* Transaction
  const begin = yield* beginning(options)
  const bound = yield* binding

  const answer = ({ redirectUri, state }: Authorization, response: { code: string } | { error: string }): Answered => ({
    _tag: "Answered",
    redirectUrl: Redacted.make(withParameters(redirectUri, { ...response, state, iss: options.issuer }))
  })

  const approve = Effect.fnUntraced(function* ({ authorization, authorizationId, client, session }: Bound) {
    // A concurrent transaction that ends the session waits for this lock and then sees the code.
    const held = yield* sessions.lock(session.sessionId)
    if (Option.isNone(held) || held.value.endedAtMillis !== null)
      return yield* new SessionEnded({ sessionId: session.sessionId })
    const code = Buffer.from(yield* random.randomBytes(codeBytes)).toString("base64url")
    const approved = yield* authorizations.approve(authorizationId, {
      code: Redacted.make(code),
      codeExpiresAtMillis: (yield* Clock.currentTimeMillis) + codeLifetimeMillis,
      signedIn: { aal: session.aal, amr: session.amr }
    })
    if (!approved) return yield* new AlreadyDecided()
    const { clientId } = client
    const { sessionId, userId } = session
    const { scope } = authorization
    yield* grants.give({ userId, clientId, scopes: Scope.list(scope) })
    yield* audit.record({
      action: "application_authorised",
      actor: userId,
      subject: userId,
      facts: { clientId, scope, sessionId }
    })
    return answer(authorization, { code })
  })

  const isRemembered = Effect.fnUntraced(function* ({ authorization, client, session }: Bound) {
    if (client.type === "public" || authorization.promptsConsent) return false
    const grant = yield* grants.find(session.userId, client.clientId)
    return Option.isSome(grant) && Scope.covers(grant.value.scopes, Scope.list(authorization.scope))
  })

  return Authorize.of({
    begin,
    details: Effect.fn("Authorize.details")(function* (caller: TokenClaims, authorizationId: Redacted.Redacted) {
      const held = yield* bound(caller, authorizationId)
      const { authorization, client } = held
      if (authorization.status !== "pending") return yield* new AlreadyDecided()
      if (yield* isRemembered(held)) return yield* approve(held)
      const { clientId, clientUri, logoUri, name } = client
      const { redirectUri, scope } = authorization
      const shown = { clientId, name, clientUri, logoUri }
      const details: Details = { _tag: "Details", redirectUri, client: shown, userId: caller.userId, scope }
      return details
    }, transaction.run),
    decide: Effect.fn("Authorize.decide")(function* (
      caller: TokenClaims,
      authorizationId: Redacted.Redacted,
      decision: "approve" | "deny"
    ) {
      const held = yield* bound(caller, authorizationId)
      if (decision === "approve") return yield* approve(held)
      if (!(yield* authorizations.deny(authorizationId))) return yield* new AlreadyDecided()
      return answer(held.authorization, { error: "access_denied" })
    }, transaction.run)
  })
})

/** Stores the request of a registered application and returns the redirect. */
const beginning = Effect.fnUntraced(function* ({ consentPage, issuer }: AuthorizeOptions) {
  const authorizations = yield* Authorizations
  const clients = yield* OAuthClients
  const random = yield* SecureRandom.SecureRandom

  const trustedRedirect = Effect.fnUntraced(function* (query: URLSearchParams) {
    const clientId = AuthorizationRequest.only(query, "client_id")
    if (clientId === undefined) return yield* new AuthorizeRefused({ reason: "client_id" })
    const client = yield* clients.find(clientId)
    if (Option.isNone(client)) return yield* new AuthorizeRefused({ reason: "unknown_client" })
    if (client.value.disabledAtMillis !== null) return yield* new AuthorizeRefused({ reason: "disabled_client" })
    const redirectUri = AuthorizationRequest.only(query, "redirect_uri")
    if (redirectUri === undefined || !isRegistered(client.value.redirectUris, redirectUri)) {
      return yield* new AuthorizeRefused({ reason: "redirect_uri" })
    }
    return { clientId, redirectUri }
  })

  return Effect.fn("Authorize.begin")(function* (
    query: URLSearchParams
  ): Effect.fn.Return<Begun, AuthorizeRefused | DatabaseUnavailable> {
    const { clientId, redirectUri } = yield* trustedRedirect(query)
    const request = AuthorizationRequest.read(query)
    if (Result.isFailure(request)) {
      const { description, error } = request.failure
      const state = AuthorizationRequest.stateOf(query)
      const parameters = { error, error_description: description, state, iss: issuer }
      return { _tag: "Redirect", url: withParameters(redirectUri, parameters) }
    }
    const id = Buffer.from(yield* random.randomBytes(idBytes)).toString("hex")
    const authorizationId = Redacted.make(id)
    const expiresAtMillis = (yield* Clock.currentTimeMillis) + requestLifetimeMillis
    yield* authorizations.open(authorizationId, { ...request.success, clientId, redirectUri }, expiresAtMillis)
    const url = Redacted.make(withParameters(consentPage, { authorization_id: id }))
    return { _tag: "Consent", authorizationId, url }
  })
})

/** Returns the authorization, bound to this user and locked until the transaction ends. */
const binding = Effect.gen(function* () {
  const authorizations = yield* Authorizations
  const clients = yield* OAuthClients
  const secondFactor = yield* SecondFactor
  const sessions = yield* Sessions

  return Effect.fnUntraced(function* (caller: TokenClaims, authorizationId: Redacted.Redacted) {
    const { clientId, sessionId, userId } = caller
    if (clientId !== null) return yield* new ApplicationMayNotConsent({ clientId })
    const session = yield* liveSession(sessions, sessionId)
    if (!hasProvedTwice(caller, session) && (yield* secondFactor.isEnrolled(userId)))
      return yield* new InsufficientAal({ sessionId })
    const authorization = yield* authorizations.bind(authorizationId, userId)
    if (Option.isNone(authorization)) return yield* new AuthorizationNotFound()
    const client = yield* clients.find(authorization.value.clientId)
    if (Option.isNone(client) || client.value.disabledAtMillis !== null) {
      return yield* new AuthorizationNotFound()
    }
    if (!isFresh(session, authorization.value, yield* Clock.currentTimeMillis)) {
      return yield* new SignInTooOld({ sessionId })
    }
    return { authorizationId, authorization: authorization.value, client: client.value, session }
  })
})

interface Bound {
  readonly authorizationId: Redacted.Redacted
  readonly authorization: Authorization
  readonly client: OAuthClient
  readonly session: Session
}

/**
 * Returns true if the user authenticated as recently as the application requires, or after the request was made.
 * Without the second condition `max_age=0` could never be met.
 */
const isFresh = (
  { amr, createdAtMillis }: Session,
  { maxAgeSeconds, requestedAtMillis }: Authorization,
  nowMillis: number
): boolean => {
  if (maxAgeSeconds === null) return true
  // The session's start is known to the millisecond, but `amr` only to the second.
  const provenAtMillis = Math.max(createdAtMillis, amr[0]!.timestamp * 1000)
  return provenAtMillis >= Math.min(requestedAtMillis, nowMillis - maxAgeSeconds * 1000)
}

const requestLifetimeMillis = 10 * 60 * 1000
const codeLifetimeMillis = 60 * 1000
/** Number of random bytes in an authorization id, which has 32 hexadecimal characters. */
const idBytes = 16
const codeBytes = 32
