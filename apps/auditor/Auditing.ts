/**
 * Audits the venue about once a second. A fault halts the venue (I52); a rail that differs from the books blocks
 * withdrawals (I12).
 */
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import { auditor } from "@venue/domain/VenueMode"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { type RailAudit, RailAudits } from "@venue/storage/audit/RailAudits"
import * as Money from "@venue/telemetry/catalogue/Money"
import * as Meter from "@venue/telemetry/Meter"
import { Cause, Clock, Effect, Exit, Schedule, identity } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import * as Passes from "./Passes.ts"
import * as RailBooks from "./RailBooks.ts"
import * as StoredMarks from "./StoredMarks.ts"

export interface Auditing {
  /** Repeats the audit. Fails with any error other than a database error. */
  readonly forever: Effect.Effect<never, unknown>
  /** Returns undefined while the last audit is less than 15 s old, otherwise the reason as a sentence. */
  readonly reason: () => string | undefined
  /** Returns the rails as of the last audit. */
  readonly rails: () => ReadonlyArray<RailAudit>
}

/**
 * Returns the loop that repeats the audit of `begun`, and replaces it by a full pass every `fullPassMillis`. Its writes
 * run outside the audits' read-only transactions.
 */
export const make = Effect.fnUntraced(function* (begun: Passes.Pass, fullPassMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const modes = yield* VenueModes
  const actions = yield* VenueModeActions
  const railAudits = yield* RailAudits
  const clock = yield* Clock.Clock
  const context = yield* Effect.context<Effect.Services<typeof Passes.full>>()
  const seconds = yield* Meter.histogram(Money.auditSeconds, {})
  let pass = begun
  let auditedMillis = -Infinity

  const halt = Effect.fnUntraced(function* (reason: string) {
    if (yield* actions.halt({ actor: auditor, reason })) {
      yield* Effect.logError("the venue is halted: its books do not balance", reason)
    }
  })

  const block = Effect.fnUntraced(function* (reason: string) {
    if (yield* actions.blockWithdrawals({ actor: auditor, reason })) {
      yield* Effect.logError("withdrawals are blocked: a rail's holdings differ from the books", reason)
    }
  })

  const once = Effect.gen(function* () {
    const current = pass
    const { audit } = current
    const beganAt = clock.monotonicTimeNanosUnsafe()
    const fault = yield* audit.round
    seconds(Number(clock.monotonicTimeNanosUnsafe() - beganAt) / 1e9)
    // Halts before writing, so that a failing write cannot delay the halt.
    if (fault !== null) yield* halt(fault)
    const difference = RailBooks.differenceOf(audit.rails())
    if (difference !== null) yield* block(difference)
    yield* modes.audited({ fault, difference })
    yield* railAudits.record(audit.rails())
    auditedMillis = clock.currentTimeMillisUnsafe()
    yield* StoredMarks.store(sql, audit.books, audit.reading)
    yield* Passes.save(current, fault)
  })
  const renew = Effect.map(
    Effect.suspend(() => Passes.renew(pass, fullPassMillis)),
    (renewed) => {
      pass = renewed ?? pass
    }
  )
  /** A database error is not a fault in the books, so the next audit continues. */
  const attempt = <R>(work: Effect.Effect<void, unknown, R>, failed: string) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(work)
      if (Exit.isSuccess(exit)) return yield* DatabaseOutage.answered
      const error = Cause.squash(exit.cause)
      const isAway = isSqlError(error) || (error as { readonly _tag?: unknown })._tag === "DatabaseUnavailable"
      if (!isAway) return yield* Effect.failCause(exit.cause)
      yield* DatabaseOutage.report(exit.cause, Effect.logWarning(`${failed}; retrying`, exit.cause))
    })
  const forever = Effect.raceFirst(
    Effect.repeat(attempt(once, "an audit failed"), Schedule.spaced(pause)),
    Effect.repeat(attempt(renew, "a full pass failed"), Schedule.spaced(renewPause))
  ).pipe(Effect.andThen(Effect.never), Effect.provideContext(context))
  return identity<Auditing>({
    forever,
    rails: () => pass.audit.rails(),
    reason: () =>
      clock.currentTimeMillisUnsafe() - auditedMillis < recentMillis
        ? undefined
        : "Reading the journal: no audit was completed in the last 15 s."
  })
})

/** Pause between two audits. A difference that needs two audits to be confirmed is detected within 3 s. */
const pause = "1 second"
/** Pause between two checks whether a full pass is due. */
const renewPause = "1 minute"
const recentMillis = 15_000
