/** Users' onboarding: each step is recorded together with its effect. */
import type { UserId } from "@venue/domain/UserId"
import {
  type CallbackRefused,
  type Finding,
  IdentityProvider,
  type IdentityUnavailable
} from "@venue/providers/Identity"
import { Audit } from "@venue/storage/access/Audit"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { LegalAcceptances } from "@venue/storage/access/LegalAcceptances"
import { Profiles } from "@venue/storage/access/Profiles"
import { Transaction } from "@venue/postgres/Transaction"
import type { UnknownUser } from "@venue/storage/access/Users"
import { AlreadyVerified, type UnknownVerification, type UserState, UserStates } from "@venue/storage/access/UserStates"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type Eligibility, eligibility, UserEligibility } from "./Eligibility.ts"

export class TermsNotCurrent extends Schema.TaggedError<TermsNotCurrent>()("TermsNotCurrent", {
  termsVersion: Schema.String
}) {}

export interface Progress extends UserState, Eligibility {
  readonly currentTermsVersion: string
}

export class Onboarding extends Context.Service<
  Onboarding,
  {
    readonly progress: (userId: UserId) => Effect.Effect<Progress, DatabaseUnavailable>
    readonly acceptTerms: (
      userId: UserId,
      termsVersion: string
    ) => Effect.Effect<void, TermsNotCurrent | UnknownUser | DatabaseUnavailable>
    /** Starts an identity verification and returns the URL of its page. An earlier verification no longer counts. */
    readonly beginVerification: (
      userId: UserId
    ) => Effect.Effect<string, AlreadyVerified | IdentityUnavailable | UnknownUser | DatabaseUnavailable>
    /** Handles a callback from the identity provider. A callback without new information changes nothing. */
    readonly hear: (
      body: string,
      signature: string
    ) => Effect.Effect<void, CallbackRefused | UnknownVerification | DatabaseUnavailable>
    /** Records the country that a trusted proxy reports; ignores codes that do not denote a country. */
    readonly seenIn: (userId: UserId, country: string) => Effect.Effect<void, UnknownUser | DatabaseUnavailable>
  }
>()("@venue/auth/access/Onboarding") {
  /** `agreementUrl` is the URL of the page on which users read the agreement. */
  static readonly layer = (options: { readonly agreementUrl: string }) =>
    Layer.effect(
      Onboarding,
      Effect.gen(function* () {
        const acceptances = yield* LegalAcceptances
        const audit = yield* Audit
        const profiles = yield* Profiles
        const provider = yield* IdentityProvider
        const eligibilities = yield* UserEligibility
        const states = yield* UserStates
        const transaction = yield* Transaction

        /** Returns the user whose state changed, or undefined if no state changed. */
        const recordVerdict = Effect.fnUntraced(function* (finding: Finding) {
          const { country, firstName, foundAtMillis, lastName, outcome, reference } = finding
          const verdict = { reference, identity: outcome, country, changedAtMillis: foundAtMillis }
          const moved = yield* states.judge(verdict)
          if (Option.isNone(moved)) return undefined
          const userId = moved.value
          yield* Effect.catchTag(profiles.change(userId, { firstName, lastName }), "UsernameTaken", Effect.die)
          yield* audit.record({
            action: "identity_judged",
            actor: "identity_provider",
            subject: userId,
            facts: { reference, outcome, country }
          })
          return userId
        }, transaction.run)
        const judge = (finding: Finding) =>
          Effect.map(recordVerdict(finding), (userId) => {
            if (userId !== undefined) eligibilities.forget(userId)
          })

        return Onboarding.of({
          progress: Effect.fn("Onboarding.progress")(function* (userId: UserId) {
            const state = yield* states.find(userId)
            return {
              ...state,
              ...eligibility(state, eligibilities.requirements),
              currentTermsVersion: eligibilities.requirements.termsVersion
            }
          }),
          acceptTerms: Effect.fn("Onboarding.acceptTerms")(
            function* (userId: UserId, termsVersion: string) {
              if (termsVersion !== eligibilities.requirements.termsVersion) {
                return yield* new TermsNotCurrent({ termsVersion })
              }
              yield* states.acceptTerms(userId, termsVersion)
              yield* acceptances.record({ userId, termsVersion, agreementUrl: options.agreementUrl, builder: null })
              yield* audit.record({ action: "terms_accepted", actor: userId, subject: userId, facts: { termsVersion } })
            },
            transaction.run,
            (accepted, userId) => Effect.tap(accepted, () => Effect.sync(() => eligibilities.forget(userId)))
          ),
          beginVerification: Effect.fn("Onboarding.beginVerification")(function* (userId: UserId) {
            if ((yield* states.find(userId)).identity === "verified") return yield* new AlreadyVerified({ userId })
            const { finding, reference, verificationUrl } = yield* provider.begin(userId)
            yield* states
              .beginVerification(userId, reference)
              .pipe(
                Effect.andThen(
                  audit.record({ action: "verification_begun", actor: userId, subject: userId, facts: { reference } })
                ),
                transaction.run
              )
            // The verification was created just before, so it exists.
            if (finding !== null) yield* Effect.catchTag(judge(finding), "UnknownVerification", Effect.die)
            return verificationUrl
          }),
          hear: Effect.fn("Onboarding.hear")((body: string, signature: string) =>
            Effect.flatMap(provider.read(body, signature), judge)
          ),
          seenIn: Effect.fn("Onboarding.seenIn")(function* (userId: UserId, country: string) {
            if (!countryPattern.test(country) || (yield* eligibilities.of(userId)).seenIn === country) return
            yield* states.setRegion(userId, country)
            eligibilities.forget(userId)
          })
        })
      })
    )
}

/** Proxies send XX for an unknown country. */
const countryPattern = /^(?!XX)[A-Z]{2}$/
