/** Detects that a chain's final block stays the same while its head advances. Nothing can be settled meanwhile. */
import type { RailOutage } from "@venue/domain/TreasuryReason"
import { Clock, Effect } from "effect"

export interface FinalityWatch {
  readonly saw: (headNumber: number, finalNumber: number) => Effect.Effect<void>
  /** Returns the highest head, or undefined before the first. */
  readonly newest: () => number | undefined
  /** The outage to raise; undefined while final blocks advance. */
  readonly stalled: Effect.Effect<RailOutage | undefined>
}

/** `mostMillis` is the longest usual interval between two advances of the chain's final block. */
export const make = (mostMillis: number): FinalityWatch => {
  let final = -1
  let sinceMillis = 0
  let [firstHead, head] = [0, 0]
  return {
    newest: () => (final < 0 ? undefined : head),
    saw: (headNumber, finalNumber) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        head = Math.max(head, headNumber)
        if (finalNumber <= final) return
        final = finalNumber
        sinceMillis = now
        firstHead = head
      }),
    stalled: Effect.map(Clock.currentTimeMillis, (now) =>
      final >= 0 && head > firstHead && now - sinceMillis >= mostMillis
        ? {
            _tag: "FinalityStalled",
            finalBlock: final,
            minutes: Math.floor((now - sinceMillis) / 60_000),
            fromHead: firstHead,
            toHead: head
          }
        : undefined
    )
  }
}
