/** Logs a source's first failure and its recovery, and keeps the reason of the latest failure. */
import { Effect } from "effect"
import type { Hide } from "../HttpAnswer.ts"

export interface SourceState {
  readonly failed: (why: string) => Effect.Effect<void>
  readonly works: Effect.Effect<void>
  /** Returns the reason of the latest failure, or undefined while the source works. */
  readonly fault: () => string | undefined
}

export const make = (name: string, hide: Hide): SourceState => {
  let fault: string | undefined
  return {
    fault: () => fault,
    failed: (why) =>
      Effect.suspend(() => {
        const isFirst = fault === undefined
        fault = hide(why)
        return isFirst ? Effect.logWarning(`price source ${name} fails: ${fault}`) : Effect.void
      }),
    works: Effect.suspend(() => {
      if (fault === undefined) return Effect.void
      fault = undefined
      return Effect.logWarning(`price source ${name} works again`)
    })
  }
}
