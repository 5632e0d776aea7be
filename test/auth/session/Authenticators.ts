/** Users, sessions and authenticators for tests of the second factor, in memory and on Postgres. */
import type { TokenClaims } from "@venue/auth/session/AccessToken"
import { type Enrolment, SecondFactor } from "@venue/auth/session/SecondFactor"
import { type Issued, SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import { FactorChallenges } from "@venue/storage/access/FactorChallenges"
import { Factors } from "@venue/storage/access/Factors"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Sessions } from "@venue/storage/access/Sessions"
import { Transaction } from "@venue/postgres/Transaction"
import { UserStates } from "@venue/storage/access/UserStates"
import { Users } from "@venue/storage/access/Users"
import { layer, type Vitest } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Layer, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { TOTP } from "otpauth"
import { postgresLayer } from "../../Postgres.ts"

type Services = Audit | Factors | RecoveryCodes | Revocations | SecondFactor | SessionTokens | Sessions | Users

export const claimsOf = ({ expiresAtSeconds, session }: Issued): TokenClaims => ({
  userId: session.userId,
  sessionId: session.sessionId,
  kid: "a key",
  aal: session.aal,
  clientId: null,
  scope: null,
  issuedAtMillis: (expiresAtSeconds - 3600) * 1000,
  expiresAtMillis: expiresAtSeconds * 1000
})

export const signIn = Effect.fnUntraced(function* (userId: UserId) {
  const tokens = yield* SessionTokens
  return yield* tokens.begin({ userId, clientId: null, publicClient: false, scope: null, method: "web3" })
})

export const arrive = Effect.gen(function* () {
  const userId = UserId.make(randomUUID())
  yield* (yield* Users).create({ userId, name: "" })
  const issued = yield* signIn(userId)
  return { userId, issued, claims: claimsOf(issued) }
})

export const enrol = (caller: TokenClaims, friendlyName = "") =>
  Effect.flatMap(SecondFactor, (factors) => factors.enrol(caller, { friendlyName, issuer: "Venue" }))
export const challenge = (caller: TokenClaims, factorId: string) =>
  Effect.flatMap(SecondFactor, (factors) => factors.challenge(caller, factorId))
export const answer = (caller: TokenClaims, factorId: string, challengeId: string, code: string) =>
  Effect.flatMap(SecondFactor, (factors) => factors.verify(caller, factorId, challengeId, Redacted.make(code)))
export const unenrol = (caller: TokenClaims, factorId: string) =>
  Effect.flatMap(SecondFactor, (factors) => factors.unenrol(caller, factorId))
export const isEnrolled = (userId: UserId) => Effect.flatMap(SecondFactor, (factors) => factors.isEnrolled(userId))

/** Returns the code that the authenticator shows `steps` time steps from now. */
export const shown = ({ secret }: Enrolment, steps = 0) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    new TOTP({ secret: Redacted.value(secret) }).generate({ timestamp: now + steps * 30_000 })
  )
export const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0")

export const verify = Effect.fnUntraced(function* (caller: TokenClaims, factorId: string, code: string) {
  const { challengeId } = yield* challenge(caller, factorId)
  return yield* answer(caller, factorId, challengeId, code)
})

/** Creates a user with a second-factor session verified a minute ago, so that the used code has expired. */
export const arriveTwice = Effect.gen(function* () {
  const { claims, issued, userId } = yield* arrive
  const enrolment = yield* enrol(claims)
  const verified = yield* verify(claims, enrolment.factorId, yield* shown(enrolment))
  yield* TestClock.adjust("2 minutes")
  const recoveryCodes = (verified.recoveryCodes ?? []).map((code) => Redacted.value(code))
  return { userId, enrolment, before: { claims, issued }, claims: claimsOf(verified.issued), recoveryCodes }
})

export const refresh = (issued: Issued) =>
  Effect.flatMap(SessionTokens, (tokens) => tokens.refresh(issued.refreshToken, { clientId: null }))
export const sessionOf = ({ sessionId }: TokenClaims) =>
  Effect.map(
    Effect.flatMap(Sessions, (sessions) => sessions.find(sessionId)),
    Option.getOrThrow
  )
export const deeds = (userId: UserId) =>
  Effect.map(
    Effect.flatMap(Audit, (audit) => audit.about(userId)),
    (all) => all.map(({ action, facts }) => ({ action, ...facts }))
  )
export const factorsOf = (userId: UserId) => Effect.flatMap(Factors, (factors) => factors.ofUser(userId))
export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
export const successes = <A, E>(exits: ReadonlyArray<Exit.Exit<A, E>>) => exits.filter(Exit.isSuccess)

/** Runs the work and waits until the user's revocation is published. */
export const untilAnnounced = <A, E, R>(userId: UserId, work: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const announced = yield* Deferred.make<void>()
      yield* (yield* Revocations).watch(({ kind, subject }) => {
        if (kind === "user" && subject === userId) Deferred.doneUnsafe(announced, Effect.void)
      })
      const done = yield* work
      yield* Deferred.await(announced)
      return done
    })
  )

const options = {
  issuer: "https://auth.venue.example/auth/v1",
  serverKey: Redacted.make("a server key of these tests, 32+")
}
const secondFactor = SecondFactor.layer.pipe(Layer.provideMerge(SessionTokens.layer(options)))
const common = Layer.mergeAll(SecureRandom.layerWebCrypto, SigningKeys.layerMemory)

const inMemory = secondFactor.pipe(
  Layer.provideMerge(Layer.mergeAll(Sessions.layerMemory, UserStates.layerMemory)),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layerMemory,
      Authorizations.layerMemory,
      FactorChallenges.layerMemory,
      Factors.layerMemory,
      RecoveryCodes.layerMemory,
      Revocations.layerMemory,
      Transaction.layerMemory,
      Users.layerMemory,
      common
    )
  )
)

const onPostgres = secondFactor.pipe(
  Layer.provideMerge(Layer.mergeAll(Sessions.layer, UserStates.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      Audit.layer,
      Authorizations.layer,
      FactorChallenges.layer,
      Factors.layer,
      RecoveryCodes.layer,
      Revocations.layer,
      Transaction.layer,
      Users.layer,
      common
    )
  ),
  Layer.provide(Layer.merge(postgresLayer, Seal.layer(Redacted.make("the secret key of these tests, 32+"))))
)

export const onBoth = (name: string, rules: (it: Vitest.MethodsNonLive<Services>) => void): void => {
  layer(inMemory, { timeout: "60 seconds" })(`${name} in memory`, rules)
  layer(onPostgres, { timeout: "60 seconds" })(`${name} on Postgres`, rules)
}
