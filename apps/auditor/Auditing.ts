/** Audits the venue about once a second: a fault halts it (I52), and a rail that differs from the books blocks withdrawals (I12). */
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import { auditor } from "@venue/domain/VenueMode"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import { Cause, Clock, Effect, Exit, Schedule, identity } from "effect"
import { SqlClient } from "effect/sql"
import { isSqlError } from "effect/sql/SqlError"
import type { Audit } from "./Audit.ts"
import * as RailBooks from "./RailBooks.ts"
import * as Reading from "./Reading.ts"
import * as StoredMarks from "./StoredMarks.ts"

export interface Auditing {
  /** Goes on until something is thrown: what this program cannot read, it cannot audit. */
  readonly forever: Effect.Effect<never, unknown>
  /** Says whether the last audit is recent. */
  readonly isReady: () => boolean
}

/** `sql` may write: what an audit itself reads is asked elsewhere. */
export const make = Effect.fnUntraced(function* (audit: Audit) {
  const sql = yield* SqlClient.SqlClient
  const modes = yield* VenueModes
  const actions = yield* VenueModeActions
  const railAudits = yield* RailAudits
  const clock = yield* Clock.Clock
  const reading = Reading.make(sql)
  let auditedMillis = -Infinity

  const halt = Effect.fnUntraced(function* (reason: string) {
    if (yield* actions.halt({ actor: auditor, reason })) {
      yield* Effect.logError("the venue is halted: its books do not balance", reason)
    }
  })

  const block = Effect.fnUntraced(function* (reason: string) {
    if (yield* actions.blockWithdrawals({ actor: auditor, reason })) {
      yield* Effect.logError("nothing leaves the venue: a rail does not hold what the books say", reason)
    }
  })

  const once = Effect.gen(function* () {
    const fault = yield* audit.round
    // Before anything else is written, so that nothing that fails holds it up.
    if (fault !== null) yield* halt(fault)
    const difference = RailBooks.differenceOf(audit.rails())
    if (difference !== null) yield* block(difference)
    yield* modes.audited({ fault, difference })
    yield* railAudits.record(audit.rails())
    auditedMillis = clock.currentTimeMillisUnsafe()
    yield* StoredMarks.store(sql, audit.books, reading)
  })
  /** A database that is away, or gives up a statement, is no fault: the next audit reads on. */
  const round = Effect.gen(function* () {
    const exit = yield* Effect.exit(once)
    if (Exit.isSuccess(exit)) return yield* DatabaseOutage.answered
    const error = Cause.squash(exit.cause)
    const isAway = isSqlError(error) || (error as { readonly _tag?: unknown })._tag === "DatabaseUnavailable"
    if (!isAway) return yield* Effect.failCause(exit.cause)
    yield* DatabaseOutage.report(exit.cause, Effect.logWarning("an audit could not be finished", exit.cause))
  })
  const forever = Effect.andThen(Effect.repeat(round, Schedule.spaced(pause)), Effect.never)
  return identity<Auditing>({
    forever,
    isReady: () => clock.currentTimeMillisUnsafe() - auditedMillis < recentMillis
  })
})

/** Time between two audits: a difference that needs two of them is found within 3 s. */
const pause = "1 second"
const recentMillis = 15_000
