/** Second-factor challenges, with limits on the attempts per challenge and per user. */
import { Clock, Context, Effect, Option, Schema } from "effect"
import { UserId } from "@venue/domain/UserId"
import { integer, named, of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"

/** A challenge belongs to one factor and one session. */
const challengeTable = Table.make("factor_challenge", {
  challengeId: text,
  factorId: text,
  sessionId: text,
  expiresAtMillis: timestamptz,
  tries: integer
})
type Issued = Table.Row<typeof challengeTable>
export type Challenge = Pick<Issued, "challengeId" | "factorId" | "sessionId">

/** Number of a user's challenges and attempts in the minute that began at `sinceMillis`. */
const attemptsTable = Table.make("factor_attempts", {
  userId: of("text", UserId),
  sinceMillis: named("since_at", timestamptz),
  attempts: integer
})

/** The challenge has expired, was answered, has no attempts left, or does not exist for this session. */
export class ChallengeExpired extends Schema.TaggedError<ChallengeExpired>()("ChallengeExpired", {
  challengeId: Schema.String
}) {}

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMillis: Schema.Number
}) {}

export class FactorChallenges extends Context.Service<
  FactorChallenges,
  {
    /** Issues a challenge for an existing factor; returns its expiry in Unix milliseconds. */
    readonly issue: (challenge: Challenge) => Effect.Effect<number, DatabaseUnavailable>
    /**
     * Uses one of five attempts. Call it outside a transaction; otherwise the rollback after a failed verification
     * would undo this.
     */
    readonly attempt: (challenge: Challenge) => Effect.Effect<void, ChallengeExpired | DatabaseUnavailable>
    /** Ends a challenge after a correct answer; returns true only to the first caller. */
    readonly spend: (challengeId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /**
     * Counts one challenge or attempt towards a user's limit of 15 per minute. Call it outside a transaction;
     * otherwise a rollback undoes the count.
     */
    readonly count: (userId: UserId) => Effect.Effect<void, TooManyAttempts | DatabaseUnavailable>
  }
>()("@venue/storage/access/FactorChallenges") {
  static readonly layer = Store.layer(FactorChallenges, () => make)
  static readonly layerMemory = Store.layerMemory(FactorChallenges, () => make)
}

const make = Effect.gen(function* () {
  const challenges = yield* Store.make(challengeTable, { key: ["challengeId"] })
  const counts = yield* Store.make(attemptsTable, { key: ["userId"] })
  return FactorChallenges.of({
    issue: Effect.fn("FactorChallenges.issue")(function* (challenge) {
      const now = yield* Clock.currentTimeMillis
      const expiresAtMillis = now + goodForMillis
      yield* challenges.remove({ factorId: challenge.factorId, expiresAtMillis: Store.atMost(now) })
      yield* challenges.insert({ ...challenge, expiresAtMillis, tries: 0 })
      return expiresAtMillis
    }),
    attempt: Effect.fn("FactorChallenges.attempt")(function* ({ challengeId, factorId, sessionId }) {
      const now = yield* Clock.currentTimeMillis
      const counted = yield* challenges.modify({ challengeId }, (row) => {
        if (row?.factorId !== factorId || row.sessionId !== sessionId) return undefined
        return row.expiresAtMillis > now && row.tries < maxTries ? { ...row, tries: row.tries + 1 } : undefined
      })
      if (Option.isNone(counted)) return yield* new ChallengeExpired({ challengeId })
    }),
    spend: Effect.fn("FactorChallenges.spend")((challengeId: string) => challenges.remove({ challengeId })),
    count: Effect.fn("FactorChallenges.count")(function* (userId) {
      const now = yield* Clock.currentTimeMillis
      const counted = yield* counts.modify({ userId }, (row) =>
        row === undefined || row.sinceMillis <= now - windowMillis
          ? { userId, sinceMillis: now, attempts: 1 }
          : { ...row, attempts: row.attempts + 1 }
      )
      const { attempts, sinceMillis } = Option.getOrThrow(counted)
      if (attempts > maxAttempts) {
        return yield* new TooManyAttempts({ retryAfterMillis: sinceMillis + windowMillis - now })
      }
    })
  })
})

const goodForMillis = 300 * 1000
const maxTries = 5
const windowMillis = 60 * 1000
const maxAttempts = 15
