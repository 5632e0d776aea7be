/** Session tokens: access tokens that are valid for an hour, and refresh tokens that work once. */
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { RefreshToken } from "@venue/storage/access/RefreshTokens"
import type { Assurance, Method } from "@venue/storage/access/Assurance"
import { type Session, SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { UserStates } from "@venue/storage/access/UserStates"
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { claimsOf } from "./AccessToken.ts"
import { objection, type Presenter } from "./Presenter.ts"
import * as RefreshTokens from "./RefreshTokens.ts"
import { SigningKeys } from "../keys/SigningKeys.ts"
import { tokenLifetimeSeconds } from "./TokenLifetime.ts"

export interface Issued {
  readonly accessToken: Redacted.Redacted
  readonly refreshToken: Redacted.Redacted
  readonly expiresInSeconds: number
  /** Unix seconds. */
  readonly expiresAtSeconds: number
  /** Scope of this access token: the session's scope or a part of it. */
  readonly scope: string | null
  readonly session: Session
}

export interface Beginning {
  readonly userId: UserId
  /** Application that holds the session; null for the user's own session. */
  readonly clientId: string | null
  readonly publicClient: boolean
  readonly scope: string | null
  /** Authentication method that was just used. */
  readonly method: "web3" | "oauth_provider/authorization_code"
  /** Assurance level; `aal1` if omitted. */
  readonly aal?: Assurance
  /** Earlier authentications, latest first; empty if omitted. */
  readonly amr?: ReadonlyArray<Method>
}

export class RefreshRefused extends Schema.TaggedError<RefreshRefused>()("RefreshRefused", {
  reason: Schema.Literals([
    "malformed",
    "not_found",
    "user_gone",
    "user_frozen",
    "session_ended",
    "session_expired",
    "wrong_client",
    "invalid_scope",
    "already_used",
    "busy"
  ])
}) {}

export interface SessionTokensOptions {
  readonly issuer: string
  /** Secret from which refresh tokens are derived. Equal on every node, and used for no other purpose. */
  readonly serverKey: Redacted.Redacted
  /** Secret that `serverKey` replaces, during the replacement. */
  readonly otherServerKey?: Redacted.Redacted | undefined
}

export class SessionTokens extends Context.Service<
  SessionTokens,
  {
    readonly begin: (beginning: Beginning) => Effect.Effect<Issued, DatabaseUnavailable>
    /**
     * Returns the next pair of tokens. If a refresh token is presented again before its successor was used, the same
     * successor is returned, however late, because responses can get lost and programs that share a token do not
     * coordinate. If a token is presented after its successor was used, the token has leaked, and the session ends. A
     * token that `raise` replaced before its use is refused without ending the session, because its holder might
     * simply be late.
     */
    readonly refresh: (
      token: Redacted.Redacted,
      by: Presenter
    ) => Effect.Effect<Issued, RefreshRefused | DatabaseUnavailable>
    /** Raises a session to `aal2`. Invalidates its earlier refresh tokens and ends the user's other `aal1` sessions. */
    readonly raise: (
      sessionId: string,
      method: "totp" | "recovery_code"
    ) => Effect.Effect<Issued, SessionEnded | DatabaseUnavailable>
    /** Lowers all of a user's sessions to level `aal1` after the second factor was removed. */
    readonly lower: (userId: UserId) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/auth/session/SessionTokens") {
  static readonly layer = (
    options: SessionTokensOptions
  ): Layer.Layer<
    SessionTokens,
    never,
    Audit | SecureRandom.SecureRandom | Sessions | SigningKeys | Transaction | UserStates
  > => Layer.effect(SessionTokens, make(options))
}

const make = Effect.fnUntraced(function* ({ issuer, otherServerKey, serverKey }: SessionTokensOptions) {
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* Sessions
  const transaction = yield* Transaction
  const issued = yield* signing(issuer)
  const rotate = yield* rotating(serverKey, otherServerKey)
  const drawToken = Effect.map(random.randomBytes(RefreshTokens.tokenBytes), RefreshTokens.tokenOf)

  const begin = Effect.fn("SessionTokens.begin")(function* (beginning: Beginning) {
    const { aal = "aal1", amr = [], clientId, method, publicClient, scope, userId } = beginning
    const now = yield* Clock.currentTimeMillis
    const refreshToken = yield* drawToken
    const session: Session = {
      sessionId: yield* random.uuidV4(),
      userId,
      clientId,
      publicClient,
      scope,
      aal,
      amr: [done(method, now), ...amr],
      createdAtMillis: now,
      refreshedAtMillis: now,
      expiresAtMillis: now + absoluteMillis,
      endedAtMillis: null
    }
    yield* sessions.begin(session, refreshToken)
    return yield* issued({ session, refreshToken, scope })
  })

  const refresh = Effect.fn("SessionTokens.refresh")(function* (token: Redacted.Redacted, by: Presenter) {
    if (!RefreshTokens.isToken(token)) return yield* new RefreshRefused({ reason: "malformed" })
    const rotated = yield* Effect.catchTag(transaction.run(rotate(token, by)), "SessionBusy", () =>
      Effect.succeed(refused("busy"))
    )
    return yield* issued(yield* Effect.fromResult(rotated))
  })

  const raise = Effect.fn("SessionTokens.raise")(function* (sessionId: string, method: "totp" | "recovery_code") {
    const now = yield* Clock.currentTimeMillis
    const before = yield* sessions.find(sessionId)
    const live = Option.isSome(before) ? yield* sessions.lockOfUser(before.value.userId) : []
    const own = live.find((session) => session.sessionId === sessionId)
    if (own === undefined) return yield* new SessionEnded({ sessionId })
    const lesser = live.filter((session) => session !== own && session.aal === "aal1")
    yield* sessions.end(lesser.map((session) => session.sessionId))
    const session: Session = {
      ...own,
      aal: "aal2",
      amr: [done(method, now), ...own.amr.filter((past) => past.method !== method)],
      refreshedAtMillis: now
    }
    yield* sessions.prove(sessionId, session)
    const refreshToken = yield* drawToken
    const { generation } = yield* sessions.newestToken(sessionId)
    // Skips a generation, so that the unused previous token does not count as the new token's predecessor.
    yield* sessions.issue(refreshToken, { sessionId, generation: generation + 2, salt: new Uint8Array() })
    return yield* issued({ session, refreshToken, scope: session.scope })
  }, transaction.run)

  const lower = Effect.fn("SessionTokens.lower")(function* (userId: UserId) {
    for (const { aal, amr, sessionId } of yield* sessions.lockOfUser(userId)) {
      if (aal === "aal1") continue
      yield* sessions.prove(sessionId, { aal: "aal1", amr: amr.filter(({ method }) => !secondFactors.has(method)) })
    }
  }, transaction.run)

  return SessionTokens.of({ begin, refresh, raise, lower })
})

/** Signs a new access token for a session. */
const signing = Effect.fnUntraced(function* (issuer: string) {
  const keys = yield* SigningKeys
  const random = yield* SecureRandom.SecureRandom

  return Effect.fnUntraced(function* ({ refreshToken, scope, session }: Kept) {
    const issuedAtSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const tokenId = yield* random.uuidV4()
    const accessToken = yield* keys.sign(claimsOf(session, { issuer, tokenId, scope, issuedAtSeconds }), "at+jwt")
    const answer: Issued = {
      accessToken: Redacted.make(accessToken),
      refreshToken,
      expiresInSeconds: tokenLifetimeSeconds,
      expiresAtSeconds: issuedAtSeconds + tokenLifetimeSeconds,
      scope,
      session
    }
    return answer
  })
})

/** Refusals are returned as values, because a failure would roll back the session end that goes with them. */
const rotating = Effect.fnUntraced(function* (
  serverKey: Redacted.Redacted,
  otherServerKey: Redacted.Redacted | undefined
) {
  const audit = yield* Audit
  const random = yield* SecureRandom.SecureRandom
  const sessions = yield* Sessions
  const states = yield* UserStates

  /** Returns the next refresh token, or undefined if this token was reused. */
  const successor = Effect.fnUntraced(function* (shown: Redacted.Redacted, { generation, sessionId }: RefreshToken) {
    const newest = yield* sessions.newestToken(sessionId)
    if (generation === newest.generation) {
      const salt = yield* random.randomBytes(RefreshTokens.saltBytes)
      const next = RefreshTokens.derive(serverKey, shown, salt)
      yield* sessions.issue(next, { sessionId, generation: generation + 1, salt })
      return next
    }
    // The newest token was never used, so returning it again gives the previous token's holder nothing more.
    if (generation !== newest.generation - 1) return undefined
    yield* sessions.touch(sessionId)
    const repeated = RefreshTokens.derive(serverKey, shown, newest.salt)
    // Only the key that derived the newest token derives it again.
    return otherServerKey === undefined || Option.isSome(yield* sessions.findToken(repeated))
      ? repeated
      : RefreshTokens.derive(otherServerKey, shown, newest.salt)
  })

  return Effect.fnUntraced(function* (shown: Redacted.Redacted, by: Presenter) {
    const token = yield* sessions.findToken(shown)
    const found = Option.isSome(token) ? yield* sessions.lock(token.value.sessionId) : Option.none<Session>()
    if (Option.isNone(token) || Option.isNone(found)) return refused("not_found")
    const session = found.value
    const { exists, frozen } = yield* states.find(session.userId)
    if (!exists) return refused("user_gone")
    if (frozen) return refused("user_frozen")
    const now = yield* Clock.currentTimeMillis
    const reason = over(session, now) ?? objection(session, by)
    if (reason !== undefined) return refused(reason)
    const refreshToken = yield* successor(shown, token.value)
    if (refreshToken !== undefined) {
      const kept: Kept = {
        session: { ...session, refreshedAtMillis: now },
        refreshToken,
        scope: by.scope ?? session.scope
      }
      return Result.succeed(kept)
    }
    const { sessionId, userId } = session
    // The next generation exists if the token was used, and is missing if `raise` replaced the token.
    if (!(yield* sessions.hasGeneration(sessionId, token.value.generation + 1))) return refused("already_used")
    yield* sessions.end([sessionId])
    yield* audit.record({ action: "refresh_token_reused", actor: userId, subject: userId, facts: { sessionId } })
    return refused("already_used")
  })
})

/** Refreshed session whose access token is not signed yet. */
interface Kept {
  readonly session: Session
  readonly refreshToken: Redacted.Redacted
  readonly scope: string | null
}

/** Maximum idle time of a session in milliseconds. */
const idleMillis = 30 * 24 * 60 * 60 * 1000
/** Maximum lifetime of a session in milliseconds. */
const absoluteMillis = 90 * 24 * 60 * 60 * 1000
const secondFactors: ReadonlySet<string> = new Set(["totp", "recovery_code"])

const over = ({ endedAtMillis, expiresAtMillis, refreshedAtMillis }: Session, nowMillis: number) => {
  if (endedAtMillis !== null) return "session_ended"
  const idleAtMillis = refreshedAtMillis + idleMillis
  return nowMillis >= Math.min(expiresAtMillis, idleAtMillis) ? "session_expired" : undefined
}

const refused = (reason: RefreshRefused["reason"]): Result.Result<never, RefreshRefused> =>
  Result.fail(new RefreshRefused({ reason }))

const done = (method: string, nowMillis: number): Method => ({ method, timestamp: Math.floor(nowMillis / 1000) })
