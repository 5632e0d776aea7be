/** Logs a series of failures once when it begins and once when it ends. */
import { Clock, Effect } from "effect"

export interface Outage {
  readonly failed: (reason: string) => Effect.Effect<void>
  /** Records a success. Some calls can succeed during an outage, so it ends after `calmMillis` without a failure. */
  readonly answered: Effect.Effect<void>
  /** Returns the Unix time in milliseconds of the current outage's first failure, or undefined without an outage. */
  readonly begunAtMillis: () => number | undefined
}

export const make = (report: {
  readonly begun: (reason: string) => Effect.Effect<void>
  readonly over: (seconds: number) => Effect.Effect<void>
}): Outage => {
  let begunAtMillis: number | undefined
  let failedAtMillis = 0
  let answeredAtMillis: number | undefined
  return {
    begunAtMillis: () => begunAtMillis,
    failed: (reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        failedAtMillis = now
        answeredAtMillis = undefined
        if (begunAtMillis !== undefined) return Effect.void
        begunAtMillis = now
        return report.begun(reason)
      }),
    answered: Effect.suspend(() =>
      begunAtMillis === undefined
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now) => {
            answeredAtMillis ??= now
            if (begunAtMillis === undefined || now - failedAtMillis < calmMillis) return Effect.void
            const seconds = Math.round((answeredAtMillis - begunAtMillis) / 1_000)
            begunAtMillis = undefined
            return report.over(seconds)
          })
    )
  }
}

/** Time without a failure after which an outage has ended, in milliseconds; longer than every caller's retry delay. */
const calmMillis = 3_000
