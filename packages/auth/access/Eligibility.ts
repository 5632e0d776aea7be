/** Cache of users' eligibility, invalidated when it changes. */
import type { Missing } from "@venue/domain/Onboarding"
import { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { type UserState, UserStates } from "@venue/storage/access/UserStates"
import { Cache, Context, Effect, Exit, Layer } from "effect"

/** Requirements of this venue for all users. */
export interface Requirements {
  /** Whether identity verification is required. A rejected verification blocks in either case. */
  readonly verifiedIdentity: boolean
  readonly termsVersion: string
  /** ISO 3166 codes, two capital letters. */
  readonly blockedCountries: ReadonlySet<string>
  /** Whether deposits and withdrawals require a second factor. */
  readonly secondFactorToFund: boolean
}

export interface Eligibility {
  readonly canTrade: boolean
  readonly canFund: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** Returns the eligibility of a user. Missing requirements never block reads; a freeze does. */
export const eligibility = (state: UserState, requirements: Requirements): Eligibility => {
  const missing: Array<Missing> = []
  if (state.identity === "refused" || (requirements.verifiedIdentity && state.identity !== "verified")) {
    missing.push("identity")
  }
  if (state.termsVersion !== requirements.termsVersion) missing.push("terms")
  if ([state.country, state.seenIn].some((country) => isBlocked(requirements, country))) missing.push("region")
  if (requirements.secondFactorToFund && !state.hasSecondFactor) missing.push("second_factor")
  if (state.frozen) missing.push("frozen")
  return missing.length === 0
    ? open
    : { canTrade: missing.every((gap) => gap === "second_factor"), canFund: false, missing }
}

/** One shared value for users who lack nothing: every order reads it. */
const open: Eligibility = { canTrade: true, canFund: true, missing: [] }

export class UserEligibility extends Context.Service<
  UserEligibility,
  {
    readonly requirements: Requirements
    /** Returns a user's state; at most half a second old if an invalidation was missed. */
    readonly of: (userId: UserId) => Effect.Effect<UserState, DatabaseUnavailable>
    /** Invalidates a user changed by this node; other nodes receive a revocation. */
    readonly forget: (userId: UserId) => void
  }
>()("@venue/auth/access/Eligibility") {
  static readonly layer = (requirements: Requirements): Layer.Layer<UserEligibility, never, UserStates | Revocations> =>
    Layer.effect(
      UserEligibility,
      Effect.gen(function* () {
        const states = yield* UserStates
        const revocations = yield* Revocations
        const known = yield* Cache.makeWith(states.find, {
          capacity: maxKnown,
          timeToLive: (exit) => (Exit.isSuccess(exit) ? freshFor : 0)
        })
        const runSync = Effect.runSyncWith(yield* Effect.context<never>())
        // Also invalidates a pending lookup: later callers start a new one.
        const forget = (userId: UserId) => runSync(Cache.invalidate(known, userId))
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "user") forget(UserId.make(subject))
        })

        return UserEligibility.of({
          requirements,
          of: (userId) => Cache.get(known, userId),
          forget
        })
      })
    )
}

const isBlocked = ({ blockedCountries }: Requirements, country: string | null): boolean =>
  country !== null && blockedCountries.has(country)

const maxKnown = 20_000
const freshFor = "500 millis"
