import { Onboarding } from "@venue/auth/access/Onboarding"
import { type Requirements, UserEligibility } from "@venue/auth/access/Eligibility"
import { UserId } from "@venue/domain/UserId"
import { type Finding, IdentityProvider, IdentityUnavailable } from "@venue/providers/Identity"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Factors } from "@venue/storage/access/Factors"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Profiles } from "@venue/storage/access/Profiles"
import { Revocations } from "@venue/storage/access/Revocations"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const requirements: Requirements = {
  verifiedIdentity: true,
  termsVersion: "2026-01",
  blockedCountries: new Set(["XK"]),
  secondFactorToFund: false
}
const agreementUrl = "https://venue.example/agreement"
const onboardingLayer = Onboarding.layer({ agreementUrl })

/** Provider that returns a new reference for each verification, and reads the verdict from the callback body. */
let begun = 0
const provider = IdentityProvider.of({
  begin: () =>
    Effect.sync(() => {
      const reference = `reference-${++begun}`
      return { reference, verificationUrl: `https://id.example/${reference}`, finding: null }
    }),
  read: (body) => Effect.sync(() => JSON.parse(body) as Finding)
})

type Stored =
  | Audit
  | IdentityProvider
  | LegalAcceptances
  | Profiles
  | UserEligibility
  | Transaction
  | Users
  | UserStates

const suite = (name: string, services: Layer.Layer<Onboarding | Stored, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    const user = (userId: UserId) => Effect.andThen(Users, (users) => users.create({ userId, name: userId }))
    const deeds = (userId: UserId) =>
      Effect.flatMap(Audit, (audit) => Effect.map(audit.about(userId), (all) => all.map(({ action }) => action)))
    const callback = (finding: Partial<Finding>) =>
      JSON.stringify({
        outcome: "verified",
        country: null,
        firstName: null,
        lastName: null,
        foundAtMillis: 1,
        ...finding
      })
    const referenceOf = (verificationUrl: string) => verificationUrl.split("/").at(-1)!

    it.effect("records an acceptance of the terms, with their version, in the table and in the audit log", () =>
      Effect.gen(function* () {
        const onboarding = yield* Onboarding
        yield* user(UserId.make("amy"))
        yield* onboarding.acceptTerms(UserId.make("amy"), "2026-01")
        const [acceptance, ...others] = yield* (yield* LegalAcceptances).ofUser(UserId.make("amy"))
        assert.deepInclude(acceptance, { termsVersion: "2026-01", agreementUrl, builder: null })
        assert.lengthOf(others, 0)
        assert.deepStrictEqual((yield* onboarding.progress(UserId.make("amy"))).missing, ["identity"])
        assert.deepStrictEqual(yield* deeds(UserId.make("amy")), ["terms_accepted"])
      })
    )

    it.effect("rejects an acceptance of the terms if the acceptance cannot be recorded", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        yield* user(UserId.make("ben"))
        const failing = Audit.of({ ...audit, record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
        const failed = yield* Effect.flatMap(Onboarding, (service) =>
          service.acceptTerms(UserId.make("ben"), "2026-01")
        ).pipe(Effect.provide(Layer.fresh(onboardingLayer)), Effect.provideService(Audit, failing), Effect.flip)
        assert.strictEqual(failed._tag, "DatabaseUnavailable")
        assert.isNull((yield* (yield* UserStates).find(UserId.make("ben"))).termsVersion)
        assert.deepStrictEqual(yield* (yield* LegalAcceptances).ofUser(UserId.make("ben")), [])
      })
    )

    it.effect("leaves the onboarding state unchanged if the identity provider does not respond", () =>
      Effect.gen(function* () {
        yield* user(UserId.make("cat"))
        const silent = IdentityProvider.of({
          ...provider,
          begin: () => Effect.fail(new IdentityUnavailable({ cause: "a test" }))
        })
        const failed = yield* Effect.flatMap(Onboarding, (service) =>
          service.beginVerification(UserId.make("cat"))
        ).pipe(
          Effect.provide(Layer.fresh(onboardingLayer)),
          Effect.provideService(IdentityProvider, silent),
          Effect.flip
        )
        assert.strictEqual(failed._tag, "IdentityUnavailable")
        assert.strictEqual((yield* (yield* UserStates).find(UserId.make("cat"))).identity, "none")
        assert.deepStrictEqual(yield* deeds(UserId.make("cat")), [])
      })
    )

    it.effect(
      "keeps one of several concurrent identity verifications, and applies the verdict on that verification once",
      () =>
        Effect.gen(function* () {
          const onboarding = yield* Onboarding
          yield* user(UserId.make("dan"))
          const urls = yield* Effect.forEach(
            Array.from({ length: 5 }),
            () => onboarding.beginVerification(UserId.make("dan")),
            {
              concurrency: "unbounded"
            }
          )
          assert.strictEqual((yield* onboarding.progress(UserId.make("dan"))).identity, "pending")
          const applied = yield* Effect.filter(urls, (url) =>
            Effect.isSuccess(onboarding.hear(callback({ reference: referenceOf(url), firstName: "Dan" }), ""))
          )
          assert.lengthOf(applied, 1)
          yield* onboarding.hear(callback({ reference: referenceOf(applied[0]!), firstName: "Other" }), "")
          assert.strictEqual((yield* onboarding.progress(UserId.make("dan"))).identity, "verified")
          assert.strictEqual((yield* (yield* Profiles).find(UserId.make("dan"))).firstName, "Dan")
          assert.lengthOf(
            (yield* deeds(UserId.make("dan"))).filter((action) => action === "identity_judged"),
            1
          )
        })
    )

    it.effect("I47: rejects trading while the user's document or location is in a blocked country", () =>
      Effect.gen(function* () {
        const onboarding = yield* Onboarding
        yield* user(UserId.make("eve"))
        yield* onboarding.acceptTerms(UserId.make("eve"), "2026-01")
        const url = yield* onboarding.beginVerification(UserId.make("eve"))
        yield* onboarding.hear(callback({ reference: referenceOf(url), country: "NO" }), "")
        assert.isTrue((yield* onboarding.progress(UserId.make("eve"))).canTrade)
        yield* onboarding.seenIn(UserId.make("eve"), "XK")
        // The change is visible at once, even without an announcement.
        assert.strictEqual((yield* (yield* UserEligibility).of(UserId.make("eve"))).seenIn, "XK")
        assert.deepInclude(yield* onboarding.progress(UserId.make("eve")), {
          canTrade: false,
          canFund: false,
          country: "NO"
        })
        for (const nowhere of ["XX", "", "xk", "T1", "Norway", "\0"])
          yield* onboarding.seenIn(UserId.make("eve"), nowhere)
        assert.deepStrictEqual((yield* onboarding.progress(UserId.make("eve"))).missing, ["region"])
        yield* onboarding.seenIn(UserId.make("eve"), "SE")
        assert.isTrue((yield* onboarding.progress(UserId.make("eve"))).canTrade)
        yield* onboarding.hear(callback({ reference: referenceOf(url), country: "XK", foundAtMillis: 2 }), "")
        yield* onboarding.seenIn(UserId.make("eve"), "NO")
        assert.deepStrictEqual((yield* onboarding.progress(UserId.make("eve"))).missing, ["region"])
      })
    )
  })

/** Receives no announcements, so that a fresh result proves that this node dropped its own cache. */
const deafStanding = UserEligibility.layer(() => requirements).pipe(
  Layer.provide(
    Layer.mock(Revocations)({ announce: () => Effect.void, watch: () => Effect.void, delayMillis: () => 0 })
  )
)

const withProvider = Layer.succeed(IdentityProvider, provider)

suite(
  "onboarding in memory",
  onboardingLayer.pipe(
    Layer.provideMerge(deafStanding),
    Layer.provideMerge(UserStates.layerMemory),
    Layer.provideMerge(
      Layer.mergeAll(
        Audit.layerMemory,
        Factors.layerMemory,
        LegalAcceptances.layerMemory,
        Profiles.layerMemory,
        Revocations.layerMemory,
        Transaction.layerMemory,
        Users.layerMemory,
        withProvider
      )
    )
  )
)
suite(
  "onboarding on Postgres",
  onboardingLayer.pipe(
    Layer.provideMerge(deafStanding),
    Layer.provideMerge(UserStates.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Audit.layer,
        LegalAcceptances.layer,
        Profiles.layer,
        Revocations.layer,
        Transaction.layer,
        Users.layer,
        withProvider
      )
    ),
    Layer.provideMerge(postgresLayer)
  )
)
