/** What fails again and again is said when it begins and when it is over, not each time. */
import { Clock, Effect } from "effect"

export interface Outage {
  readonly failed: (reason: string) => Effect.Effect<void>
  /** It works again; it is over once nothing has failed for a while, for some of it may work while the rest does not. */
  readonly answered: Effect.Effect<void>
}

export const make = (says: {
  readonly begun: (reason: string) => Effect.Effect<void>
  readonly over: (seconds: number) => Effect.Effect<void>
}): Outage => {
  let begunAtMillis: number | undefined
  let failedAtMillis = 0
  let answeredAtMillis: number | undefined
  return {
    failed: (reason) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        failedAtMillis = now
        answeredAtMillis = undefined
        if (begunAtMillis !== undefined) return Effect.void
        begunAtMillis = now
        return says.begun(reason)
      }),
    answered: Effect.suspend(() =>
      begunAtMillis === undefined
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now) => {
            answeredAtMillis ??= now
            if (begunAtMillis === undefined || now - failedAtMillis < calmMillis) return Effect.void
            const seconds = Math.round((answeredAtMillis - begunAtMillis) / 1_000)
            begunAtMillis = undefined
            return says.over(seconds)
          })
    )
  }
}

/** Longer than anything of ours waits before it tries again. */
const calmMillis = 3_000
