import { UserId } from "@venue/domain/UserId"
import { assert } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import {
  answer,
  arrive,
  arriveTwice,
  challenge,
  claimsOf,
  deeds,
  enrol,
  untilAnnounced,
  isEnrolled,
  onBoth,
  refresh,
  sessionOf,
  shown,
  signIn,
  successes,
  tagOf,
  unenrol,
  verify,
  wrong
} from "./Authenticators.ts"

onBoth("the second factor", (it) => {
  it.effect("M1: verifying the first factor raises the session's assurance level and returns ten recovery codes", () =>
    Effect.gen(function* () {
      const { claims, issued, userId } = yield* arrive
      const other = yield* signIn(UserId.make(userId))
      const enrolment = yield* enrol(claims, "phone")
      assert.isFalse(yield* isEnrolled(UserId.make(userId)))
      const { factorId } = enrolment
      const code = yield* shown(enrolment)
      const verified = yield* untilAnnounced(UserId.make(userId), verify(claims, factorId, code))
      assert.strictEqual(verified.issued.session.aal, "aal2")
      assert.isNull(verified.recoveryCodesLeft)
      const codes = (verified.recoveryCodes ?? []).map((code) => Redacted.value(code))
      assert.strictEqual(new Set(codes).size, 10)
      assert.isTrue(yield* isEnrolled(UserId.make(userId)))
      assert.strictEqual((yield* sessionOf(claims)).aal, "aal2")
      assert.isNotNull((yield* sessionOf(claimsOf(other))).endedAtMillis)
      const { sessionId } = claims
      assert.deepStrictEqual<unknown>(yield* deeds(UserId.make(userId)), [
        { action: "second_factor_added", factorId, sessionId }
      ])
      assert.strictEqual(yield* tagOf(refresh(issued)), "RefreshRefused")
    })
  )

  it.effect("labels the enrolment's QR code with the given name or, by default, with the user's id", () =>
    Effect.gen(function* () {
      const { claims, userId } = yield* arrive
      const unnamed = yield* enrol(claims)
      const named = yield* enrol(claims, "my phone")
      assert.match(Redacted.value(named.uri), /^otpauth:\/\/totp\/Venue:my%20phone\?/)
      assert.include(Redacted.value(unnamed.uri), `Venue:${userId}?secret=${Redacted.value(unnamed.secret)}&`)
      assert.match(Redacted.value(named.qrCode), /^<svg .*<\/svg>$/)
      const longest = yield* enrol(claims, "空".repeat(64))
      assert.match(Redacted.value(longest.qrCode), /^<svg /)
    })
  )

  it.effect("accepts the enrolled factor at a later sign-in, and issues no new recovery codes", () =>
    Effect.gen(function* () {
      const { enrolment, userId } = yield* arriveTwice
      const again = claimsOf(yield* signIn(UserId.make(userId)))
      const verified = yield* verify(again, enrolment.factorId, yield* shown(enrolment))
      assert.strictEqual(verified.issued.session.aal, "aal2")
      assert.isNull(verified.recoveryCodes)
    })
  )

  it.effect("M2: counts a wrong code as an attempt, and changes nothing else", () =>
    Effect.gen(function* () {
      const { claims, issued, userId } = yield* arrive
      const enrolment = yield* enrol(claims)
      const code = yield* shown(enrolment)
      for (const bad of [wrong(code), "", code.slice(1), "abcde-12345"]) {
        assert.strictEqual(yield* tagOf(verify(claims, enrolment.factorId, bad)), "VerificationFailed")
      }
      assert.isFalse(yield* isEnrolled(UserId.make(userId)))
      assert.strictEqual((yield* sessionOf(claims)).aal, "aal1")
      assert.deepStrictEqual(yield* deeds(UserId.make(userId)), [])
      yield* refresh(issued)
    })
  )

  it.effect("M2: accepts a code one time step early or late, and rejects a code two time steps away", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      for (const steps of [-2, 2]) {
        const code = yield* shown(enrolment, steps)
        assert.strictEqual(yield* tagOf(verify(claims, enrolment.factorId, code)), "VerificationFailed")
      }
      for (const steps of [-1, 0, 1]) yield* verify(claims, enrolment.factorId, yield* shown(enrolment, steps))
    })
  )

  it.effect("M2: accepts a code once, even under concurrent use", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      const { factorId } = enrolment
      const code = yield* shown(enrolment)
      const challenges = yield* Effect.all(Array.from({ length: 7 }, () => challenge(claims, factorId)))
      const exits = yield* Effect.forEach(
        challenges,
        ({ challengeId }) => Effect.exit(answer(claims, factorId, challengeId, code)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(successes(exits), 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* tagOf(verify(claims, factorId, code)), "VerificationFailed")
    })
  )

  it.effect("M2: accepts only one of many concurrent responses to a challenge", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      const { factorId } = enrolment
      const { challengeId } = yield* challenge(claims, factorId)
      const code = yield* shown(enrolment)
      const exits = yield* Effect.all(
        Array.from({ length: 5 }, () => Effect.exit(answer(claims, factorId, challengeId, code))),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(successes(exits), 1)
      const next = yield* shown(enrolment, 1)
      assert.strictEqual(yield* tagOf(answer(claims, factorId, challengeId, next)), "ChallengeExpired")
    })
  )

  it.effect("M2: rejects a challenge after 300 seconds", () =>
    Effect.gen(function* () {
      const { claims, enrolment } = yield* arriveTwice
      const { challengeId, expiresAtMillis } = yield* challenge(claims, enrolment.factorId)
      assert.strictEqual(expiresAtMillis, (yield* Clock.currentTimeMillis) + 300_000)
      yield* TestClock.adjust("300 seconds")
      const late = answer(claims, enrolment.factorId, challengeId, yield* shown(enrolment))
      assert.strictEqual(yield* tagOf(late), "ChallengeExpired")
    })
  )

  it.effect("M2: rejects another user's factor or challenge, and another session's challenge", () =>
    Effect.gen(function* () {
      const alice = yield* arriveTwice
      const { factorId } = alice.enrolment
      const mallory = yield* arriveTwice
      const code = yield* shown(alice.enrolment)
      const { challengeId } = yield* challenge(alice.claims, factorId)
      assert.strictEqual(yield* tagOf(challenge(mallory.claims, factorId)), "FactorNotFound")
      assert.strictEqual(yield* tagOf(answer(mallory.claims, factorId, challengeId, code)), "FactorNotFound")
      assert.strictEqual(yield* tagOf(unenrol(mallory.claims, factorId)), "FactorNotFound")
      const own = mallory.enrolment.factorId
      const ownCode = yield* shown(mallory.enrolment)
      assert.strictEqual(yield* tagOf(answer(mallory.claims, own, challengeId, ownCode)), "ChallengeExpired")
      const second = claimsOf(yield* signIn(UserId.make(alice.userId)))
      assert.strictEqual(yield* tagOf(answer(second, factorId, challengeId, code)), "ChallengeExpired")
      assert.strictEqual((yield* sessionOf(second)).aal, "aal1")
      yield* answer(alice.claims, factorId, challengeId, code)
    })
  )

  it.effect("accepts a recovery code once in place of the authenticator, and records its use", () =>
    Effect.gen(function* () {
      const { enrolment, recoveryCodes, userId } = yield* arriveTwice
      const { factorId } = enrolment
      const claims = claimsOf(yield* signIn(UserId.make(userId)))
      const verified = yield* verify(claims, factorId, ` ${recoveryCodes[3]?.toUpperCase()}`)
      assert.strictEqual(verified.issued.session.aal, "aal2")
      assert.strictEqual(verified.issued.session.amr[0]?.method, "recovery_code")
      assert.deepStrictEqual([verified.recoveryCodesLeft, verified.recoveryCodes], [9, null])
      const used = { action: "recovery_code_used", factorId, sessionId: claims.sessionId, left: 9 }
      assert.deepStrictEqual<unknown>((yield* deeds(UserId.make(userId)))[0], used)
      assert.strictEqual(yield* tagOf(verify(claims, factorId, recoveryCodes[3]!)), "VerificationFailed")
    })
  )

  it.effect("I46: neither responses nor audit entries contain a secret", () =>
    Effect.gen(function* () {
      const { claims, enrolment, recoveryCodes, userId } = yield* arriveTwice
      const code = yield* shown(enrolment)
      const refused = yield* Effect.flip(verify(claims, enrolment.factorId, wrong(code)))
      const used = yield* verify(claims, enrolment.factorId, recoveryCodes[0]!)
      const output = inspect([enrolment, refused, used, yield* deeds(UserId.make(userId))], {
        depth: Infinity,
        showHidden: true
      })
      for (const secret of [Redacted.value(enrolment.secret), wrong(code), ...recoveryCodes]) {
        assert.notInclude(output, secret)
      }
    })
  )
})
