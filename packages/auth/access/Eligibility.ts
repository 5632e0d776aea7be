/** Cache of users' onboarding states, invalidated when a state changes. */
import type { Missing } from "@venue/domain/Onboarding"
import { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Revocations } from "@venue/storage/access/Revocations"
import { type UserState, UserStates } from "@venue/storage/access/UserStates"
import { Cache, Context, Effect, Exit, Layer } from "effect"

/** The venue's requirements for all users. */
export interface Requirements {
  /** Whether identity verification is required. A rejected verification always blocks the user. */
  readonly verifiedIdentity: boolean
  readonly termsVersion: string
  /** Blocked countries as ISO 3166-1 codes of two capital letters. */
  readonly blockedCountries: ReadonlySet<string>
  readonly secondFactorToFund: boolean
}

export interface Eligibility {
  readonly canTrade: boolean
  readonly canFund: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** Returns a user's eligibility. A user with missing requirements can still read; only a frozen user cannot. */
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

/** Shared value for all users without missing requirements, so that no order allocates one. */
const open: Eligibility = { canTrade: true, canFund: true, missing: [] }

export class UserEligibility extends Context.Service<
  UserEligibility,
  {
    /** Requirements in force; operators can change them. */
    readonly requirements: Requirements
    /** Returns a user's state, which is at most half a second old even if an invalidation was missed. */
    readonly of: (userId: UserId) => Effect.Effect<UserState, DatabaseUnavailable>
    /** Drops the cached state of a user whom this node has changed; other nodes receive a revocation. */
    readonly forget: (userId: UserId) => void
  }
>()("@venue/auth/access/Eligibility") {
  static readonly layer = (
    requirements: () => Requirements
  ): Layer.Layer<UserEligibility, never, UserStates | Revocations> =>
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
        // Also discards a pending look-up, so that later callers start a new one.
        const forget = (userId: UserId) => runSync(Cache.invalidate(known, userId))
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "user") forget(UserId.make(subject))
        })

        return UserEligibility.of({
          get requirements() {
            return requirements()
          },
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
