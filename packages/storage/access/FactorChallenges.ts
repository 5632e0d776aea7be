/** A challenge asks for a second factor; its user, and whoever guesses, may try a few times only. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { UserId } from "@venue/domain/UserId"
import { integer, named, of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

/** A challenge is of one factor, to one session. */
const challengeTable = Table.make("factor_challenge", {
  challengeId: text,
  factorId: text,
  sessionId: text,
  expiresAtMillis: timestamptz,
  tries: integer
})
type Issued = Table.Row<typeof challengeTable>
export type Challenge = Pick<Issued, "challengeId" | "factorId" | "sessionId">

/** Counts the challenges and tries of a user within the minute that began then. */
const attemptsTable = Table.make("factor_attempts", {
  userId: of("text", UserId),
  sinceMillis: named("since_at", timestamptz),
  attempts: integer
})
type Attempts = Table.Row<typeof attemptsTable>

/** It may also be answered already, given up after five tries, another session's, or never issued. */
export class ChallengeExpired extends Schema.TaggedError<ChallengeExpired>()("ChallengeExpired", {
  challengeId: Schema.String
}) {}

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMillis: Schema.Number
}) {}

export class FactorChallenges extends Context.Service<
  FactorChallenges,
  {
    /** Tells when it expires. The factor must exist. */
    readonly issue: (challenge: Challenge) => Effect.Effect<number, DatabaseUnavailable>
    /** Takes one of its five tries. Outside a transaction, the try is gone whatever comes of it. */
    readonly attempt: (challenge: Challenge) => Effect.Effect<void, ChallengeExpired | DatabaseUnavailable>
    /** It was answered; only the first to say so gets true. */
    readonly spend: (challengeId: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** Counts one of the 15 challenges and tries a user has in a minute. Outside a transaction, it stays counted. */
    readonly count: (userId: UserId) => Effect.Effect<void, TooManyAttempts | DatabaseUnavailable>
  }
>()("@venue/storage/access/FactorChallenges") {
  static readonly layer: Layer.Layer<FactorChallenges, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    FactorChallenges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return FactorChallenges.of({
        issue: Effect.fn("FactorChallenges.issue")(function* (challenge) {
          const now = yield* Clock.currentTimeMillis
          const expiresAtMillis = now + goodForMillis
          yield* sql`
            delete from factor_challenge
            where factor_id = ${challenge.factorId} and expires_at <= ${new Date(now)}`
          yield* sql`insert into factor_challenge ${challengeTable.values({ ...challenge, expiresAtMillis, tries: 0 })}`
          return expiresAtMillis
        }, orUnavailable),
        attempt: Effect.fn("FactorChallenges.attempt")(function* ({ challengeId, factorId, sessionId }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const taken = yield* sql`
            update factor_challenge set tries = tries + 1
            where challenge_id = ${storable(challengeId)} and factor_id = ${storable(factorId)}
              and session_id = ${sessionId} and expires_at > ${now} and tries < ${maxTries}
            returning 1`
          if (taken.length === 0) return yield* new ChallengeExpired({ challengeId })
        }, orUnavailable),
        spend: Effect.fn("FactorChallenges.spend")(function* (challengeId) {
          const spent = yield* sql`
            delete from factor_challenge where challenge_id = ${storable(challengeId)} returning 1`
          return spent.length > 0
        }, orUnavailable),
        count: Effect.fn("FactorChallenges.count")(function* (userId) {
          const now = yield* Clock.currentTimeMillis
          const isOver = sql`factor_attempts.since_at <= ${new Date(now - windowMillis)}`
          const [counted] = yield* attemptsTable.all(sql`
            insert into factor_attempts ${attemptsTable.values({ userId, sinceMillis: now, attempts: 1 })}
            on conflict (user_id) do update set
              since_at = case when ${isOver} then excluded.since_at else factor_attempts.since_at end,
              attempts = case when ${isOver} then 1 else factor_attempts.attempts + 1 end
            returning ${attemptsTable.columns}`)
          yield* withinLimit(counted!, now)
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<FactorChallenges> = Layer.effect(
    FactorChallenges,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const challenges = table<Issued>()
      const counts = table<Attempts>()
      return FactorChallenges.of({
        issue: Effect.fnUntraced(function* (challenge) {
          const now = yield* Clock.currentTimeMillis
          const expiresAtMillis = now + goodForMillis
          for (const old of challenges.rows()) if (old.expiresAtMillis <= now) challenges.delete(old.challengeId)
          challenges.set(challenge.challengeId, { ...challenge, expiresAtMillis, tries: 0 })
          return expiresAtMillis
        }, transaction),
        attempt: Effect.fnUntraced(function* ({ challengeId, factorId, sessionId }) {
          const now = yield* Clock.currentTimeMillis
          const found = challenges.get(challengeId)
          const isOpen = found !== undefined && found.expiresAtMillis > now && found.tries < maxTries
          if (!isOpen || found.factorId !== factorId || found.sessionId !== sessionId) {
            return yield* new ChallengeExpired({ challengeId })
          }
          challenges.set(challengeId, { ...found, tries: found.tries + 1 })
        }, transaction),
        spend: (challengeId) =>
          transaction(
            Effect.sync(() => {
              const isThere = challenges.get(challengeId) !== undefined
              if (isThere) challenges.delete(challengeId)
              return isThere
            })
          ),
        count: Effect.fnUntraced(function* (userId) {
          const now = yield* Clock.currentTimeMillis
          const before = counts.get(userId)
          const counted =
            before === undefined || before.sinceMillis <= now - windowMillis
              ? { userId, sinceMillis: now, attempts: 1 }
              : { ...before, attempts: before.attempts + 1 }
          yield* transaction(Effect.sync(() => counts.set(userId, counted)))
          yield* withinLimit(counted, now)
        })
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const goodForMillis = 300 * 1000
const maxTries = 5
const windowMillis = 60 * 1000
const maxAttempts = 15

const withinLimit = ({ attempts, sinceMillis }: Attempts, nowMillis: number): Effect.Effect<void, TooManyAttempts> =>
  attempts <= maxAttempts
    ? Effect.void
    : Effect.fail(new TooManyAttempts({ retryAfterMillis: sinceMillis + windowMillis - nowMillis }))
