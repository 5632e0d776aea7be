/** A venue that is audited, as its one row of `venue_mode` tells of it, and an operator who leads it back. */
import type { VenueStep } from "@venue/domain/VenueMode"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

export interface Audited {
  readonly sql: SqlClient.SqlClient
  /** Answers whether it was taken. */
  readonly step: (to: VenueStep) => Effect.Effect<boolean>
  /** An auditor that read what was wrong goes on from it until it reads everything again. */
  readonly restartAuditor: Effect.Effect<void>
}

interface Mode {
  readonly trading: string
  readonly reason: string
  readonly fault: string | null
  readonly isAudited: boolean
}

/** Whether it was audited later than `since`, a time of the database. */
const modeOf = (sql: SqlClient.SqlClient, since: Date): Effect.Effect<Mode, SqlError> =>
  Effect.map(
    sql<Mode>`
      select trading, reason, fault, coalesce(audited_at > ${since}, false) as "isAudited" from venue_mode`.unprepared,
    ([mode]) => mode!
  )

const nowOf = (sql: SqlClient.SqlClient): Effect.Effect<Date, SqlError> =>
  Effect.map(sql<{ readonly now: Date }>`select clock_timestamp() as now`, ([row]) => row!.now)

/** Looks every 20 ms; answers the milliseconds that it took, or undefined when it was in vain. */
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

/** Milliseconds until the auditor has halted the venue for what has that name in it; undefined when it did not. */
export const seen = ({ sql }: Audited, name: string) =>
  until(
    Effect.map(modeOf(sql, new Date(0)), ({ reason, trading }) => trading === "HALTED" && reason.includes(name)),
    seenWithinMillis
  )

/** All is right again: an audit says so, and the venue is led back to where it was. Answers whether the auditor had to be started again. */
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
  // What was not seen has halted nothing.
  if ((yield* modeOf(sql, new Date(0))).trading !== "HALTED") return restarts > 0
  for (const to of ["CANCEL_ONLY", "TRADING", "WITHDRAWALS"] as const) {
    const taken = yield* until(step(to), rightWithinMillis)
    if (taken === undefined) return yield* Effect.die(new Error(`the venue cannot be led back to ${to}`))
  }
  return restarts > 0
})

export const seenWithinMillis = 10_000
const rightWithinMillis = 30_000
