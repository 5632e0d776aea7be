/** Spans of the commands that a market decides: one for the decision and one for the journal. */
import type { MarketCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Traces } from "@venue/telemetry/Traces"
import { Clock, Effect } from "effect"
import type { Done } from "./PendingRows.ts"

/** Measures the commands of one call. */
export interface Traced {
  /** Called when the commands are decided. Returns a callback for their commit. */
  readonly decided: (done: Done) => Done
}

/** Returns a function that begins to measure commands, or returns undefined if none of them is traced. */
export const make = Effect.fnUntraced(function* (symbol: MarketSymbol) {
  const traces = yield* Traces
  const clock = yield* Clock.Clock
  return (commands: ReadonlyArray<MarketCommand>): Traced | undefined => {
    if (traces === undefined) return undefined
    const ids = commands.flatMap((command) => {
      const id = "commandId" in command ? command.commandId?.text : undefined
      return id !== undefined && traces.isSampled(id) ? [id] : []
    })
    if (ids.length === 0) return undefined
    const attributes = { "venue.symbol": symbol }
    const startNanos = clock.currentTimeNanosUnsafe()
    return {
      decided: (done) => {
        const decidedNanos = clock.currentTimeNanosUnsafe()
        for (const commandId of ids)
          traces.record({ commandId, step: "market", startNanos, endNanos: decidedNanos, attributes })
        return (isCommitted) => {
          const endNanos = clock.currentTimeNanosUnsafe()
          if (isCommitted)
            for (const commandId of ids)
              traces.record({ commandId, step: "journal", startNanos: decidedNanos, endNanos, attributes })
          done(isCommitted)
        }
      }
    }
  }
})
