/** Users with completed onboarding steps, and their sessions. */
import { Accounts } from "@venue/auth/session/Accounts"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserEligibility } from "@venue/auth/access/Eligibility"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { Factors } from "@venue/storage/access/Factors"
import { Revocations } from "@venue/storage/access/Revocations"
import { UserStates } from "@venue/storage/access/UserStates"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

/** Smallest set of in-memory services that decides what a caller is allowed to do. */
export const access = Layer.mergeAll(
  Accounts.layer,
  SessionTokens.layer({
    issuer: "https://auth.venue.test/auth/v1",
    serverKey: Redacted.make("a server key for tests, and for nothing else")
  }),
  UserEligibility.layer(() => ({
    verifiedIdentity: true,
    termsVersion: "2026-11",
    blockedCountries: new Set(["KP"]),
    secondFactorToFund: false
  }))
).pipe(
  Layer.provideMerge(Layer.mergeAll(AccessTables.layerMemory, SigningKeys.layerMemory, Journal.layerMemory)),
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

export type Progress = "onboarded" | "unverified" | "without_terms" | "blocked_region" | "frozen"

export const bring = Effect.fnUntraced(function* (userId: UserId, to: Progress) {
  const states = yield* UserStates
  const { requirements } = yield* UserEligibility
  yield* states.setIdentity(userId, to === "unverified" ? "pending" : "verified", to === "blocked_region" ? "KP" : "DE")
  yield* states.acceptTerms(userId, to === "without_terms" ? "1999-12" : requirements.termsVersion)
  yield* to === "frozen" ? states.freeze(userId) : states.unfreeze(userId)
}, Effect.orDie)

/** Enrols a verified second factor. */
export const enrol = Effect.fnUntraced(function* (userId: UserId) {
  const factors = yield* Factors
  const revocations = yield* Revocations
  const factorId = `factor-of-${userId}`
  yield* factors.add({ factorId, userId, friendlyName: "", secret: Redacted.make("JBSWY3DPEHPK3PXP") })
  yield* factors.accept(factorId, 1)
  yield* revocations.announce({ kind: "user", subject: userId })
}, Effect.orDie)

export const session = Effect.fnUntraced(function* (userId: UserId, aal: "aal1" | "aal2" = "aal1") {
  const tokens = yield* SessionTokens
  const begun = { userId, clientId: null, publicClient: false, scope: null, method: "web3", aal } as const
  const { accessToken, session } = yield* tokens.begin(begun)
  return { token: Redacted.value(accessToken), sessionId: session.sessionId }
}, Effect.orDie)
