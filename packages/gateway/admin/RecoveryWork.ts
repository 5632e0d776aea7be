/**
 * Carries out an accepted recovery. Every step can be repeated, so several gateways can work at the same time, and
 * another gateway continues after a crash.
 */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { WitnessedFact } from "@venue/domain/Recovery"
import { venue } from "@venue/domain/VenueMode"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Transaction } from "@venue/postgres/Transaction"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Audit } from "@venue/storage/access/Audit"
import { Authorizations } from "@venue/storage/access/Authorizations"
import { Operators } from "@venue/storage/access/Operators"
import { Revocations } from "@venue/storage/access/Revocations"
import { Sessions } from "@venue/storage/access/Sessions"
import { UserStates } from "@venue/storage/access/UserStates"
import { Users } from "@venue/storage/access/Users"
import { Recoveries, type Recovery } from "@venue/storage/recovery/Recoveries"
import { Effect, Option, Schedule } from "effect"

/** Ends credentials, applies lost restrictions, and skips the numbers of lost rows. Streams can be claimed afterwards. */
const begin = Effect.fn("RecoveryWork.begin")(function* ({ recoveryId }: Recovery) {
  const authorizations = yield* Authorizations
  const journal = yield* Journal
  const operators = yield* Operators
  const recoveries = yield* Recoveries
  const revocations = yield* Revocations
  const sessions = yield* Sessions
  let endedSessions = 0
  for (let ended = 1; ended > 0; endedSessions += ended) ended = yield* sessions.endSome(sessionsAtOnce)
  yield* authorizations.endAll
  yield* operators.endAllSessions
  const lost = yield* recoveries.facts(recoveryId)
  yield* revocations.numberAbove(lost.reduce((most, { number }) => Math.max(most, number), 0))
  const applied = yield* Effect.filter(
    lost.filter(({ isRestricted }) => isRestricted),
    (fact) => restrict(fact, recoveryId)
  )
  for (let left = yield* recoveries.unskipped(recoveryId, streamsAtOnce); left.length > 0;) {
    for (const { stream, witnessedEpoch: epoch, witnessedSeq: seq } of left) {
      while (!(yield* journal.skip(stream, { seq, epoch }))) yield* Effect.yieldNow
    }
    yield* recoveries.skipped(
      recoveryId,
      left.map(({ stream }) => stream)
    )
    left = yield* recoveries.unskipped(recoveryId, streamsAtOnce)
  }
  const facts = { recoveryId, endedSessions, restrictions: applied.length }
  yield* advance(recoveryId, "ACCEPTED", "recovery_skipped_lost_rows", facts)
})

/**
 * Applies a restriction again, with its audit entry. Returns false for a user or key that the database does not know, or
 * knows as restricted.
 */
const restrict = Effect.fnUntraced(function* ({ kind, subject }: WitnessedFact, recoveryId: number) {
  const audit = yield* Audit
  const transaction = yield* Transaction
  if (kind === "user") {
    const states = yield* UserStates
    const users = yield* Users
    const userId = UserId.make(subject)
    return yield* Effect.gen(function* () {
      yield* users.lock(userId)
      if ((yield* states.find(userId)).frozen) return false
      yield* states.freeze(userId)
      yield* audit.record({ action: "user_frozen", actor: venue, subject: userId, facts: { recoveryId } })
      return true
    }).pipe(
      transaction.run,
      Effect.catchTag("UnknownUser", () => Effect.succeed(false))
    )
  }
  const keys = yield* ApiKeys
  const key = yield* keys.find(subject)
  if (Option.isNone(key)) return false
  const { publicKey, userId } = key.value
  return yield* Effect.gen(function* () {
    if (!(yield* keys.revoke(userId, publicKey))) return false
    yield* audit.record({ action: "api_key_revoked", actor: venue, subject: userId, facts: { publicKey, recoveryId } })
    return true
  }).pipe(
    transaction.run,
    Effect.catchTags({ UnknownUser: () => Effect.succeed(false), UnknownApiKey: () => Effect.succeed(false) })
  )
})

/** Cancels the resting orders of all markets, because cancels of some of them might be lost. */
const cancel = Effect.fn("RecoveryWork.cancel")(
  function* ({ recoveryId }: Recovery) {
    const markets = yield* MarketClient
    const { instruments } = yield* VenueSettings
    yield* Effect.forEach(
      instruments.keys(),
      (symbol) => Effect.repeat(markets.cancelOrders(symbol), { until: ({ isDone }) => isDone }),
      { concurrency: marketsAtOnce, discard: true }
    )
    yield* advance(recoveryId, "CANCELLING", "recovery_done", { recoveryId, markets: instruments.size })
    // A market that loads or has just been fenced does not answer yet; the next step continues.
  },
  Effect.catchTag("Unavailable", () => Effect.void)
)

const advance = Effect.fnUntraced(function* (
  recoveryId: number,
  from: "ACCEPTED" | "CANCELLING",
  action: string,
  facts: Readonly<Record<string, number>>
) {
  const audit = yield* Audit
  const recoveries = yield* Recoveries
  const transaction = yield* Transaction
  yield* transaction.run(
    Effect.flatMap(recoveries.advance(recoveryId, from), (isFirst) =>
      isFirst ? audit.record({ action, actor: venue, subject: "venue", facts }) : Effect.void
    )
  )
})

/** Does the next step of a pending recovery, if there is one. */
export const step = Effect.gen(function* () {
  const recoveries = yield* Recoveries
  const pending = yield* recoveries.pending
  if (Option.isNone(pending)) return
  if (pending.value.state === "ACCEPTED") yield* begin(pending.value)
  if (pending.value.state === "CANCELLING") yield* cancel(pending.value)
})

export const forever = step.pipe(
  Effect.catchCause((cause) =>
    DatabaseOutage.report(cause, Effect.logWarning("the recovery is delayed and tried again", cause))
  ),
  Effect.repeat(Schedule.spaced("1 second"))
)

const sessionsAtOnce = 500
const streamsAtOnce = 500
const marketsAtOnce = 4
