/** Logs a source's first failure, and its recovery. */
import { Effect } from "effect"
import type { Hide } from "../HttpAnswer.ts"

export interface SourceState {
  readonly failed: (why: string) => Effect.Effect<void>
  readonly works: Effect.Effect<void>
}

export const make = (name: string, hide: Hide): SourceState => {
  let isFailing = false
  return {
    failed: (why) =>
      Effect.suspend(() => {
        if (isFailing) return Effect.void
        isFailing = true
        return Effect.logWarning(`price source ${name} fails: ${hide(why)}`)
      }),
    works: Effect.suspend(() => {
      if (!isFailing) return Effect.void
      isFailing = false
      return Effect.logWarning(`price source ${name} works again`)
    })
  }
}
