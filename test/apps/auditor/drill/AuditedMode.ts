/** Audited venue as its row of `venue_mode` shows it, and an operator who resumes it. */
import type { VenueStep } from "@venue/domain/VenueMode"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

export interface Audited {
  readonly sql: SqlClient.SqlClient
  /** Returns whether the venue accepted the step. */
  readonly step: (to: VenueStep) => Effect.Effect<boolean>
  /** The auditor keeps the value of a wrong row until a restart makes it read all rows again. */
  readonly restartAuditor: Effect.Effect<void>
}

interface Mode {
  readonly trading: string
  readonly reason: string
  readonly fault: string | null
  readonly isAudited: boolean
}

/** Returns the mode, and whether an audit finished after `since`, a time by the database's clock. */
const modeOf = (sql: SqlClient.SqlClient, since: Date): Effect.Effect<Mode, SqlError> =>
  Effect.map(
    sql<Mode>`
      select trading, reason, fault, coalesce(audited_at > ${since}, false) as "isAudited" from venue_mode`.unprepared,
    ([mode]) => mode!
  )

const nowOf = (sql: SqlClient.SqlClient): Effect.Effect<Date, SqlError> =>
  Effect.map(sql<{ readonly now: Date }>`select clock_timestamp() as now`, ([row]) => row!.now)

/** Polls every 20 ms. Returns the milliseconds it took, or undefined after `mostMillis`. */
const until = Effect.fnUntraced(function* <E>(holds: Effect.Effect<boolean, E>, mostMillis: number) {
  const startedAt = performance.now()
  for (;;) {
    const isSo = yield* holds
    const millis = performance.now() - startedAt
    if (isSo) return millis
    if (millis > mostMillis) return undefined
    yield* Effect.sleep("20 millis")
  }
})

/**
 * Returns the milliseconds until the auditor halts the venue with a reason that contains `name`, or undefined if it
 * does not.
 */
export const seen = ({ sql }: Audited, name: string) =>
  until(
    Effect.map(modeOf(sql, new Date(0)), ({ reason, trading }) => trading === "HALTED" && reason.includes(name)),
    seenWithinMillis
  )

/**
 * Waits for an audit without a fault after the value was restored, and then resumes the venue. Returns whether the
 * auditor had to be restarted.
 */
export const recovered = Effect.fnUntraced(function* (audited: Audited) {
  const { restartAuditor, sql, step } = audited
  const isRight = Effect.flatMap(nowOf(sql), (since) =>
    until(
      Effect.map(modeOf(sql, since), ({ fault, isAudited }) => isAudited && fault === null),
      rightWithinMillis
    )
  )
  let restarts = 0
  while ((yield* isRight) === undefined) {
    if (++restarts > 2) {
      const { fault } = yield* modeOf(sql, new Date(0))
      return yield* Effect.die(new Error(`what was changed is put back, and the auditor still says: ${fault}`))
    }
    yield* restartAuditor
  }
  // The venue still trades if the auditor did not detect the change.
  if ((yield* modeOf(sql, new Date(0))).trading !== "HALTED") return restarts > 0
  for (const to of ["CANCEL_ONLY", "TRADING", "WITHDRAWALS"] as const) {
    const taken = yield* until(step(to), rightWithinMillis)
    if (taken === undefined) return yield* Effect.die(new Error(`the venue cannot be led back to ${to}`))
  }
  return restarts > 0
})

export const seenWithinMillis = 10_000
const rightWithinMillis = 30_000
