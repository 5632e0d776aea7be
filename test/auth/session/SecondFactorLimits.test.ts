import * as RecoveryCode from "@venue/auth/session/RecoveryCode"
import { UserId } from "@venue/domain/UserId"
import { RecoveryCodes } from "@venue/storage/access/RecoveryCodes"
import { Sessions } from "@venue/storage/access/Sessions"
import { assert } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import {
  answer,
  arrive,
  arriveTwice,
  challenge,
  claimsOf,
  deeds,
  enrol,
  factorsOf,
  untilAnnounced,
  isEnrolled,
  onBoth,
  sessionOf,
  shown,
  signIn,
  successes,
  tagOf,
  unenrol,
  verify,
  wrong
} from "./Authenticators.ts"

onBoth("second-factor limits", (it) => {
  it.effect(
    "M3: requires a code of the enrolled factor before the user enrols, verifies or removes another factor",
    () =>
      Effect.gen(function* () {
        const { claims } = yield* arrive
        const mine = yield* enrol(claims)
        const sneaked = yield* enrol(claims)
        const verified = yield* verify(claims, mine.factorId, yield* shown(mine))
        const lesser = claimsOf(yield* signIn(claims.userId))
        assert.strictEqual(yield* tagOf(enrol(lesser)), "InsufficientAal")
        assert.strictEqual(yield* tagOf(unenrol(lesser, mine.factorId)), "InsufficientAal")
        const sneaking = verify(lesser, sneaked.factorId, yield* shown(sneaked))
        assert.strictEqual(yield* tagOf(sneaking), "InsufficientAal")
        // The token issued before the session was raised still claims the first assurance level.
        assert.strictEqual(yield* tagOf(enrol(claims)), "InsufficientAal")
        assert.lengthOf(
          (yield* factorsOf(claims.userId)).filter(({ status }) => status === "verified"),
          1
        )
        const raised = claimsOf(verified.issued)
        assert.isNull((yield* verify(raised, sneaked.factorId, yield* shown(sneaked))).recoveryCodes)
        yield* enrol(raised)
      })
  )

  it.effect("M3: if two factors are verified concurrently as the first factor, accepts exactly one of them", () =>
    Effect.gen(function* () {
      const { claims } = yield* arrive
      const both = [yield* enrol(claims), yield* enrol(claims)]
      const exits = yield* Effect.forEach(
        both,
        (enrolment) =>
          Effect.exit(Effect.flatMap(shown(enrolment), (code) => verify(claims, enrolment.factorId, code))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(successes(exits), 1)
      assert.lengthOf(
        (yield* factorsOf(claims.userId)).filter(({ status }) => status === "verified"),
        1
      )
    })
  )

  it.effect("M3: after five failed codes, rejects every further code for the challenge, even the right one", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      const { factorId } = enrolment
      const { challengeId } = yield* challenge(claims, factorId)
      const code = yield* shown(enrolment)
      for (let failure = 0; failure < 5; failure++) {
        assert.strictEqual(yield* tagOf(answer(claims, factorId, challengeId, wrong(code))), "VerificationFailed")
      }
      assert.strictEqual(yield* tagOf(answer(claims, factorId, challengeId, code)), "ChallengeExpired")
      yield* verify(claims, factorId, code)
    })
  )

  it.effect(
    "M3: limits challenges and attempts together to 15 per minute for a user, over all of the user's sessions",
    () =>
      Effect.gen(function* () {
        const { claims, enrolment, userId } = yield* arriveTwice
        const { factorId } = enrolment
        const other = claimsOf(yield* signIn(UserId.make(userId)))
        const code = yield* shown(enrolment)
        for (let at = 0; at < 7; at++) yield* tagOf(verify(claims, factorId, wrong(code)))
        yield* challenge(other, factorId)
        const refused = yield* Effect.flip(challenge(other, factorId))
        assert.deepInclude(refused, { _tag: "TooManyAttempts", retryAfterMillis: 60_000 })
        assert.strictEqual(yield* tagOf(answer(claims, factorId, "any", code)), "TooManyAttempts")
        yield* TestClock.adjust("1 minute")
        yield* challenge(other, factorId)
      })
  )

  it.effect("limits a user to ten factors with distinct names, even under concurrent enrolments", () =>
    Effect.gen(function* () {
      const { claims, userId } = yield* arrive
      yield* enrol(claims, "phone")
      assert.strictEqual(yield* tagOf(enrol(claims, "phone")), "FactorNameConflict")
      yield* Effect.all(
        Array.from({ length: 15 }, () => Effect.exit(enrol(claims))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* factorsOf(UserId.make(userId)), 10)
      assert.strictEqual(yield* tagOf(enrol(claims)), "TooManyFactors")
      yield* TestClock.adjust("300 seconds")
      yield* enrol(claims, "phone")
      assert.lengthOf(yield* factorsOf(UserId.make(userId)), 1)
    })
  )

  it.effect("rejects a recovery code for verifying a new factor, and another user's recovery code", () =>
    Effect.gen(function* () {
      const { claims, recoveryCodes } = yield* arriveTwice
      const mallory = yield* arriveTwice
      const another = yield* enrol(claims)
      const [code = ""] = recoveryCodes
      assert.strictEqual(yield* tagOf(verify(claims, another.factorId, code)), "VerificationFailed")
      const foreign = verify(mallory.claims, mallory.enrolment.factorId, code)
      assert.strictEqual(yield* tagOf(foreign), "VerificationFailed")
    })
  )

  it.effect(
    "removing any factor lowers every session's assurance level, and removing the last one deletes the recovery codes",
    () =>
      Effect.gen(function* () {
        const { claims, enrolment, recoveryCodes, userId } = yield* arriveTwice
        const other = claimsOf(
          (yield* verify(claimsOf(yield* signIn(UserId.make(userId))), enrolment.factorId, recoveryCodes[0]!)).issued
        )
        yield* untilAnnounced(UserId.make(userId), unenrol(claims, enrolment.factorId))
        assert.isFalse(yield* isEnrolled(UserId.make(userId)))
        const kept = RecoveryCode.hash(UserId.make(userId), Redacted.make(recoveryCodes[1]!))
        assert.deepStrictEqual(yield* (yield* RecoveryCodes).spend(UserId.make(userId), kept), Option.none())
        for (const lowered of [claims, other]) assert.strictEqual((yield* sessionOf(lowered)).aal, "aal1")
        assert.strictEqual((yield* deeds(UserId.make(userId)))[0]?.action, "second_factor_removed")
        const next = yield* enrol(claims)
        const verified = yield* verify(claims, next.factorId, yield* shown(next))
        assert.lengthOf(verified.recoveryCodes ?? [], 10)
        // The old token still claims the second assurance level, but its session has ended.
        assert.strictEqual(yield* tagOf(enrol(other)), "SessionEnded")
      })
  )

  it.effect(
    "M3: after one of two factors is removed, requires the remaining factor even if the token claims the second level",
    () =>
      Effect.gen(function* () {
        const { claims, enrolment, recoveryCodes, userId } = yield* arriveTwice
        const spare = yield* enrol(claims)
        const raised = claimsOf((yield* verify(claims, spare.factorId, yield* shown(spare))).issued)
        yield* unenrol(raised, spare.factorId)
        assert.isTrue(yield* isEnrolled(UserId.make(userId)))
        assert.strictEqual(yield* tagOf(enrol(raised)), "InsufficientAal")
        assert.strictEqual(yield* tagOf(unenrol(raised, enrolment.factorId)), "InsufficientAal")
        const again = claimsOf((yield* verify(raised, enrolment.factorId, recoveryCodes[0]!)).issued)
        yield* unenrol(again, enrolment.factorId)
      })
  )

  it.effect("allows a first-level session to remove an unverified factor", () =>
    Effect.gen(function* () {
      const { claims, userId } = yield* arrive
      const { factorId } = yield* enrol(claims)
      yield* unenrol(claims, factorId)
      assert.deepStrictEqual(yield* factorsOf(UserId.make(userId)), [])
      assert.deepStrictEqual(yield* deeds(UserId.make(userId)), [])
    })
  )

  it.effect("rejects a request from an ended session, whatever the session's token claims", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      const { factorId } = enrolment
      const unverified = yield* enrol(claims)
      const { challengeId } = yield* challenge(claims, factorId)
      yield* (yield* Sessions).end([claims.sessionId])
      const code = yield* shown(enrolment)
      assert.strictEqual(yield* tagOf(answer(claims, factorId, challengeId, code)), "SessionEnded")
      assert.strictEqual(yield* tagOf(enrol(claims)), "SessionEnded")
      assert.strictEqual(yield* tagOf(challenge(claims, factorId)), "SessionEnded")
      for (const kept of [enrolment, unverified]) {
        assert.strictEqual(yield* tagOf(unenrol(claims, kept.factorId)), "SessionEnded")
      }
      assert.lengthOf(yield* factorsOf(claims.userId), 2)
      const nobody = { ...claims, userId: UserId.make(randomUUID()) }
      assert.strictEqual(yield* tagOf(enrol(nobody)), "SessionEnded")
    })
  )
})
