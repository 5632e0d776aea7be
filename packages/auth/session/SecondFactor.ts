/** Second factor in addition to the wallet: enrolment, verification and removal of an authenticator app. */
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { ChallengeExpired, FactorChallenges, type TooManyAttempts } from "@venue/storage/access/FactorChallenges"
import { type FactorNameConflict, Factors, type FactorSecret, isVerified } from "@venue/storage/access/Factors"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Revocations } from "@venue/storage/access/Revocations"
import { type Session, SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { renderSVG } from "uqr"
import type { TokenClaims } from "./AccessToken.ts"
import { liveSession } from "./LiveSession.ts"
import * as RecoveryCode from "./RecoveryCode.ts"
import { type Issued, SessionTokens } from "./SessionTokens.ts"
import * as Totp from "./Totp.ts"

/** Data of a new factor, which is returned only once. */
export interface Enrolment {
  readonly factorId: string
  readonly friendlyName: string
  /** Secret in base32, for manual entry. */
  readonly secret: Redacted.Redacted
  readonly uri: Redacted.Redacted
  /** QR code of the URI, as SVG text. */
  readonly qrCode: Redacted.Redacted
}

export interface Verification {
  readonly issued: Issued
  /** New recovery codes when the first factor is verified, returned only once; null otherwise. */
  readonly recoveryCodes: ReadonlyArray<Redacted.Redacted> | null
  /** Number of remaining recovery codes if a recovery code was used; null otherwise. */
  readonly recoveryCodesLeft: number | null
}

/** The factor is unknown, belongs to another user, or was not verified in time. */
export class FactorNotFound extends Schema.TaggedError<FactorNotFound>()("FactorNotFound", {
  factorId: Schema.String
}) {}

export class TooManyFactors extends Schema.TaggedError<TooManyFactors>()("TooManyFactors", {
  limit: Schema.Number
}) {}

/** The code is wrong or was already used. */
export class VerificationFailed extends Schema.TaggedError<VerificationFailed>()("VerificationFailed", {
  factorId: Schema.String
}) {}

/** The action requires a session with assurance level `aal2`. */
export class InsufficientAal extends Schema.TaggedError<InsufficientAal>()("InsufficientAal", {
  sessionId: Schema.String
}) {}

type Gone = SessionEnded | DatabaseUnavailable

/** With a verified factor, changing factors requires a session of level `aal2`. A user's changes run one at a time. */
export class SecondFactor extends Context.Service<
  SecondFactor,
  {
    /** Enrols a factor, named in at most 64 characters. The factor counts only if verified within 300 s. */
    readonly enrol: (
      caller: TokenClaims,
      names: { readonly friendlyName: string; readonly issuer: string }
    ) => Effect.Effect<Enrolment, InsufficientAal | TooManyFactors | FactorNameConflict | Gone>
    readonly challenge: (
      caller: TokenClaims,
      factorId: string
    ) => Effect.Effect<
      { readonly challengeId: string; readonly expiresAtMillis: number },
      FactorNotFound | TooManyAttempts | Gone
    >
    /** Verifies an authenticator code or, for a verified factor, a recovery code. Raises the session to `aal2`. */
    readonly verify: (
      caller: TokenClaims,
      factorId: string,
      challengeId: string,
      code: Redacted.Redacted
    ) => Effect.Effect<
      Verification,
      FactorNotFound | ChallengeExpired | VerificationFailed | InsufficientAal | TooManyAttempts | Gone
    >
    /** Removes a factor. If it was verified, the user's sessions fall to `aal1` and pending codes are cancelled. */
    readonly unenrol: (
      caller: TokenClaims,
      factorId: string
    ) => Effect.Effect<void, FactorNotFound | InsufficientAal | Gone>
    readonly isEnrolled: (userId: UserId) => Effect.Effect<boolean, DatabaseUnavailable>
  }
>()("@venue/auth/session/SecondFactor") {
  static readonly layer: Layer.Layer<
    SecondFactor,
    never,
    | Audit
    | Authorizations
    | FactorChallenges
    | Factors
    | RecoveryCodes
    | Revocations
    | SecureRandom.SecureRandom
    | SessionTokens
    | Sessions
    | Transaction
    | Users
  > = Layer.effect(
    SecondFactor,
    Effect.suspend(() => make)
  )
}

const maxFactors = 10
const recoveryCodesGiven = 10

const make = Effect.gen(function* () {
  const authorizations = yield* Authorizations
  const challenges = yield* FactorChallenges
  const factors = yield* Factors
  const recovery = yield* RecoveryCodes
  const random = yield* SecureRandom.SecureRandom
  const tokens = yield* SessionTokens
  const { alone, changed, found, isEnrolled } = yield* holding
  const { check, giveRecoveryCodes } = yield* checking

  const enrol = Effect.fnUntraced(function* (
    caller: TokenClaims,
    session: Session,
    { friendlyName, issuer }: { readonly friendlyName: string; readonly issuer: string }
  ) {
    const { userId } = caller
    const existing = yield* factors.ofUser(userId)
    if (existing.some(isVerified)) yield* mustHaveProvedTwice(caller, session)
    if (existing.length >= maxFactors) return yield* new TooManyFactors({ limit: maxFactors })
    const factorId = yield* random.uuidV4()
    const secret = Totp.secretOf(yield* random.randomBytes(Totp.secretBytes))
    yield* factors.add({ factorId, userId, friendlyName, secret })
    const uri = Totp.uri(secret, issuer, friendlyName === "" ? userId : friendlyName)
    return { factorId, friendlyName, secret, uri }
  })

  const verify = Effect.fnUntraced(function* (
    caller: TokenClaims,
    session: Session,
    factorId: string,
    challengeId: string,
    code: Redacted.Redacted
  ) {
    const { sessionId, userId } = caller
    const factor = yield* found(caller, factorId)
    const wasEnrolled = yield* isEnrolled(userId)
    if (wasEnrolled && !isVerified(factor)) yield* mustHaveProvedTwice(caller, session)
    if (!(yield* challenges.spend(challengeId))) return yield* new ChallengeExpired({ challengeId })
    const recoveryCodesLeft = yield* check(caller, factor, code)
    if (!isVerified(factor)) yield* changed(caller, "second_factor_added", factorId)
    const recoveryCodes = wasEnrolled ? null : yield* giveRecoveryCodes(userId)
    const issued = yield* tokens.raise(sessionId, recoveryCodesLeft === null ? "totp" : "recovery_code")
    return { issued, recoveryCodes, recoveryCodesLeft }
  })

  const unenrol = Effect.fnUntraced(function* (caller: TokenClaims, session: Session, factorId: string) {
    const { userId } = caller
    const factor = yield* found(caller, factorId)
    if (isVerified(factor)) yield* mustHaveProvedTwice(caller, session)
    yield* factors.remove(factorId)
    if (!isVerified(factor)) return
    if (!(yield* isEnrolled(userId))) yield* recovery.replace(userId, [])
    // Pending codes stem from sign-ins with the factor. Cancelling waits for code exchanges in progress, so that
    // their sessions are lowered too.
    yield* authorizations.cancelCodes(userId, null)
    yield* tokens.lower(userId)
    yield* changed(caller, "second_factor_removed", factorId)
  })

  return SecondFactor.of({
    isEnrolled,
    enrol: Effect.fn("SecondFactor.enrol")((caller, names) =>
      // Drawing a QR code takes long, so it runs outside the transaction.
      Effect.map(
        alone(caller, (session) => enrol(caller, session, names)),
        (enrolled) => ({ ...enrolled, qrCode: Redacted.make(renderSVG(Redacted.value(enrolled.uri))) })
      )
    ),
    challenge: Effect.fn("SecondFactor.challenge")(function* (caller, factorId) {
      yield* challenges.count(caller.userId)
      const challengeId = yield* random.uuidV4()
      const { sessionId } = caller
      const issue = Effect.andThen(found(caller, factorId), challenges.issue({ challengeId, factorId, sessionId }))
      return { challengeId, expiresAtMillis: yield* alone(caller, () => issue) }
    }),
    // Attempts are counted outside the transaction, so that a refused attempt stays counted.
    verify: Effect.fn("SecondFactor.verify")(function* (caller, factorId, challengeId, code) {
      yield* challenges.count(caller.userId)
      yield* found(caller, factorId)
      yield* challenges.attempt({ challengeId, factorId, sessionId: caller.sessionId })
      return yield* alone(caller, (session) => verify(caller, session, factorId, challengeId, code))
    }),
    unenrol: Effect.fn("SecondFactor.unenrol")((caller, factorId) =>
      alone(caller, (session) => unenrol(caller, session, factorId))
    )
  })
})

/** Serialises changes to a user's factors and invalidates cached data about the user. */
const holding = Effect.gen(function* () {
  const audit = yield* Audit
  const factors = yield* Factors
  const revocations = yield* Revocations
  const sessions = yield* Sessions
  const transaction = yield* Transaction
  const users = yield* Users

  /** Runs `work` while the user's factors are locked and the session is live. */
  const alone = <A, E>({ sessionId, userId }: TokenClaims, work: (session: Session) => Effect.Effect<A, E>) =>
    transaction.run(
      Effect.gen(function* () {
        yield* Effect.catchTag(users.lock(userId), "UnknownUser", () => Effect.fail(new SessionEnded({ sessionId })))
        return yield* work(yield* liveSession(sessions, sessionId))
      })
    )
  const isEnrolled = (userId: UserId) => Effect.map(factors.ofUser(userId), (all) => all.some(isVerified))
  const found = Effect.fnUntraced(function* ({ userId }: TokenClaims, factorId: string) {
    const factor = yield* factors.find(userId, factorId)
    return Option.isSome(factor) ? factor.value : yield* new FactorNotFound({ factorId })
  })
  const changed = Effect.fnUntraced(function* (caller: TokenClaims, action: string, factorId: string) {
    const { sessionId, userId } = caller
    yield* audit.record({ action, actor: userId, subject: userId, facts: { factorId, sessionId } })
    yield* revocations.announce({ kind: "user", subject: userId })
  })

  return { alone, changed, found, isEnrolled }
})

/** Checks an authenticator code or a recovery code; each code is valid once. */
const checking = Effect.gen(function* () {
  const audit = yield* Audit
  const factors = yield* Factors
  const random = yield* SecureRandom.SecureRandom
  const recovery = yield* RecoveryCodes

  const giveRecoveryCodes = Effect.fnUntraced(function* (userId: UserId) {
    const draw = Effect.map(random.randomBytes(RecoveryCode.codeBytes), RecoveryCode.of)
    const codes = yield* Effect.replicateEffect(draw, recoveryCodesGiven)
    const hashes = codes.map((code) => RecoveryCode.hash(userId, code))
    yield* recovery.replace(userId, hashes)
    return codes
  })

  /** Returns the number of remaining recovery codes if a recovery code was used, or null for an authenticator code. */
  const check = Effect.fnUntraced(function* (
    { sessionId, userId }: TokenClaims,
    factor: FactorSecret,
    code: Redacted.Redacted
  ) {
    const { factorId } = factor
    const step = Totp.stepOf(factor.secret, code, yield* Clock.currentTimeMillis)
    if (step !== undefined && (yield* factors.accept(factorId, step))) return null
    const hash = RecoveryCode.hash(userId, code)
    const left = isVerified(factor) ? yield* recovery.spend(userId, hash) : Option.none<number>()
    if (Option.isNone(left)) return yield* new VerificationFailed({ factorId })
    const facts = { factorId, sessionId, left: left.value }
    yield* audit.record({ action: "recovery_code_used", actor: userId, subject: userId, facts })
    return left.value
  })

  return { check, giveRecoveryCodes }
})

/** The session might have changed since the token was issued, so both token and session must have level `aal2`. */
export const hasProvedTwice = ({ aal }: TokenClaims, session: Session): boolean =>
  aal === "aal2" && session.aal === "aal2"

const mustHaveProvedTwice = (caller: TokenClaims, session: Session): Effect.Effect<void, InsufficientAal> =>
  hasProvedTwice(caller, session) ? Effect.void : Effect.fail(new InsufficientAal({ sessionId: caller.sessionId }))
