/** What each user may do as far as they have come: remembered, and asked anew when something of it changes. */
import type { DatabaseUnavailable } from "@venue/storage/DatabaseUnavailable"
import { Revocations } from "@venue/storage/Revocations"
import { type UserState, UserStates } from "@venue/storage/UserStates"
import { Cache, Context, Effect, Exit, Layer, Queue, Schedule, type Scope } from "effect"

/** What the venue asks of everybody. */
export interface Requirements {
  readonly termsVersion: string
  /** ISO 3166, two capital letters. */
  readonly blockedCountries: ReadonlySet<string>
  /** Whether money moves only for users with a second factor. */
  readonly secondFactorToFund: boolean
}

export type Missing = "identity" | "terms" | "region" | "second_factor" | "frozen"

export interface Gates {
  readonly canTrade: boolean
  readonly canFund: boolean
  readonly missing: ReadonlyArray<Missing>
}

/** Reading is never refused for any of this but to who is frozen. */
export const gates = (state: UserState, requirements: Requirements): Gates => {
  const missing: Array<Missing> = []
  if (state.identity !== "verified") missing.push("identity")
  if (state.termsVersion !== requirements.termsVersion) missing.push("terms")
  if ([state.country, state.seenIn].some((country) => isBlocked(requirements, country))) missing.push("region")
  if (requirements.secondFactorToFund && !state.hasSecondFactor) missing.push("second_factor")
  if (state.frozen) missing.push("frozen")
  return { canTrade: missing.every((gap) => gap === "second_factor"), canFund: missing.length === 0, missing }
}

export class Standing extends Context.Service<
  Standing,
  {
    readonly requirements: Requirements
    /** At most half a second old when a change is not heard of. */
    readonly of: (userId: string) => Effect.Effect<UserState, DatabaseUnavailable>
    /** What was just changed here is asked for anew; other nodes hear of it. */
    readonly forget: (userId: string) => void
    /** The state as it is whenever asked, at once and until the scope closes: for a connection that stays open. */
    readonly follow: (userId: string) => Effect.Effect<() => UserState, DatabaseUnavailable, Scope.Scope>
  }
>()("@venue/auth/Standing") {
  static readonly layer = (requirements: Requirements): Layer.Layer<Standing, never, UserStates | Revocations> =>
    Layer.effect(
      Standing,
      Effect.gen(function* () {
        const states = yield* UserStates
        const revocations = yield* Revocations
        const known = yield* Cache.makeWith(states.find, {
          capacity: maxKnown,
          timeToLive: (exit) => (Exit.isSuccess(exit) ? freshFor : 0)
        })
        const followed = new Map<string, Followed>()
        const changed = yield* Queue.unbounded<string>()

        // A lookup under way is forgotten with the rest: who asks from now on asks again.
        const forget = (userId: string) => {
          Effect.runSync(Cache.invalidate(known, userId))
          if (followed.has(userId)) Queue.offerUnsafe(changed, userId)
        }
        yield* revocations.watch(({ kind, subject }) => {
          if (kind === "user") forget(subject)
        })
        const reread = Effect.fnUntraced(function* (userId: string) {
          const state = yield* Effect.retry(states.find(userId), Schedule.spaced(retryEvery))
          const shared = followed.get(userId)
          if (shared !== undefined) shared.state = state
        })
        yield* Queue.takeAll(changed).pipe(
          Effect.flatMap((userIds) => Effect.forEach(new Set(userIds), reread, { concurrency: 8, discard: true })),
          Effect.forever,
          Effect.forkScoped
        )

        return Standing.of({
          requirements,
          of: (userId) => Cache.get(known, userId),
          forget,
          follow: Effect.fn("Standing.follow")(function* (userId: string) {
            const shared = yield* Effect.acquireRelease(
              Effect.sync(() => joined(followed, userId)),
              (shared) => Effect.sync(() => left(followed, userId, shared))
            )
            // Followed first, so that no change falls between; what was reread since is newer than this.
            const state = shared.state ?? (yield* states.find(userId))
            shared.state ??= state
            return () => shared.state ?? state
          })
        })
      })
    )
}

/** One state for all connections of a user. */
interface Followed {
  state: UserState | undefined
  followers: number
}

const joined = (followed: Map<string, Followed>, userId: string): Followed => {
  const shared = followed.get(userId) ?? { state: undefined, followers: 0 }
  shared.followers++
  followed.set(userId, shared)
  return shared
}

const left = (followed: Map<string, Followed>, userId: string, shared: Followed): void => {
  if (--shared.followers === 0) followed.delete(userId)
}

const isBlocked = ({ blockedCountries }: Requirements, country: string | null): boolean =>
  country !== null && blockedCountries.has(country)

const maxKnown = 20_000
const freshFor = "500 millis"
const retryEvery = "200 millis"
