import { eligibility, type Requirements, UserEligibility } from "@venue/auth/access/Eligibility"
import { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { type UserState, UserStates } from "@venue/storage/access/UserStates"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const requirements: Requirements = {
  verifiedIdentity: true,
  termsVersion: "2026-01",
  blockedCountries: new Set(["XK", "XL"]),
  secondFactorToFund: true
}

const onboarded: UserState = {
  exists: true,
  frozen: false,
  identity: "verified",
  termsVersion: "2026-01",
  country: "NO",
  seenIn: null,
  hasSecondFactor: true
}

describe("eligibility", () => {
  const of = (changes: Partial<UserState>) => eligibility({ ...onboarded, ...changes }, requirements)

  it("I47: allows trading and payments for a fully onboarded user", () => {
    assert.deepStrictEqual(of({}), { canTrade: true, canFund: true, missing: [] })
  })

  it("I47: rejects trading and payments if a single step is missing, and names the missing step", () => {
    const gaps: ReadonlyArray<readonly [Partial<UserState>, string]> = [
      [{ identity: "none" }, "identity"],
      [{ identity: "pending" }, "identity"],
      [{ identity: "refused" }, "identity"],
      [{ termsVersion: null }, "terms"],
      [{ termsVersion: "2025-12" }, "terms"],
      [{ country: "XK" }, "region"],
      [{ seenIn: "XL" }, "region"],
      [{ frozen: true }, "frozen"]
    ]
    for (const [gap, missing] of gaps) {
      assert.deepStrictEqual(of(gap) as object, { canTrade: false, canFund: false, missing: [missing] })
    }
  })

  it("allows unverified users where no verification is required, unless their verification was refused", () => {
    const trusting = { ...requirements, verifiedIdentity: false }
    for (const identity of ["none", "pending", "verified"] as const) {
      assert.deepStrictEqual(eligibility({ ...onboarded, identity }, trusting).missing, [])
    }
    assert.deepStrictEqual(eligibility({ ...onboarded, identity: "refused" }, trusting).missing, ["identity"])
  })

  it("requires a second factor only for payments, and only if the venue is configured to require one", () => {
    const without = { hasSecondFactor: false }
    assert.deepStrictEqual(of(without), { canTrade: true, canFund: false, missing: ["second_factor"] })
    const relaxed = { ...requirements, secondFactorToFund: false }
    assert.isTrue(eligibility({ ...onboarded, ...without }, relaxed).canFund)
  })

  it("returns all missing onboarding steps in one list", () => {
    const { missing } = of({
      identity: "none",
      termsVersion: null,
      country: "XK",
      hasSecondFactor: false,
      frozen: true
    })
    assert.deepStrictEqual(missing, ["identity", "terms", "region", "second_factor", "frozen"])
  })
})

/** User state whose lookup the test can delay. */
const scene = Effect.gen(function* () {
  let state = onboarded
  let lookups = 0
  let gate: Effect.Effect<void, DatabaseUnavailable> = Effect.void
  const states = UserStates.of({
    find: () =>
      Effect.suspend(() => {
        lookups++
        const answer = state
        return Effect.as(gate, answer)
      })
  } as unknown as UserStates["Service"])
  const services = yield* Layer.build(
    UserEligibility.layer(() => requirements).pipe(
      Layer.provideMerge(Revocations.layerMemory),
      Layer.provide(Layer.succeed(UserStates, states))
    )
  )
  return yield* Effect.all({ eligibilities: UserEligibility, revocations: Revocations }).pipe(
    Effect.provide(services),
    Effect.map(({ revocations, eligibilities }) => ({
      eligibilities,
      lookups: () => lookups,
      holdBack: (until: Effect.Effect<void, DatabaseUnavailable>) => {
        gate = until
      },
      /** Changes the state without announcing the change. */
      become: (next: Partial<UserState>) => {
        state = { ...state, ...next }
      },
      change: (next: Partial<UserState>) => {
        state = { ...state, ...next }
        return revocations.announce({ kind: "user", subject: "amy" })
      }
    }))
  )
})

describe("UserEligibility", () => {
  it.effect("caches the user state until a change is announced", () =>
    Effect.gen(function* () {
      const { lookups, change, eligibilities } = yield* scene
      yield* eligibilities.of(UserId.make("amy"))
      assert.isFalse((yield* eligibilities.of(UserId.make("amy"))).frozen)
      assert.strictEqual(lookups(), 1)
      yield* change({ frozen: true })
      assert.isTrue((yield* eligibilities.of(UserId.make("amy"))).frozen)
    }).pipe(Effect.scoped)
  )

  it.effect("returns a user state that was changed without an announcement within half a second", () =>
    Effect.gen(function* () {
      const { become, eligibilities } = yield* scene
      yield* eligibilities.of(UserId.make("amy"))
      become({ frozen: true })
      assert.isFalse((yield* eligibilities.of(UserId.make("amy"))).frozen)
      yield* TestClock.adjust("500 millis")
      assert.isTrue((yield* eligibilities.of(UserId.make("amy"))).frozen)
    }).pipe(Effect.scoped)
  )

  it.effect("does not cache a lookup that was in flight when the user state changed", () =>
    Effect.gen(function* () {
      const { change, holdBack, eligibilities } = yield* scene
      const held = yield* Deferred.make<void>()
      holdBack(Deferred.await(held))
      const early = yield* Effect.forkChild(eligibilities.of(UserId.make("amy")), { startImmediately: true })
      holdBack(Effect.void)
      yield* change({ frozen: true })
      yield* Deferred.succeed(held, undefined)
      yield* Fiber.join(early)
      assert.isTrue((yield* eligibilities.of(UserId.make("amy"))).frozen)
    }).pipe(Effect.scoped)
  )
})
