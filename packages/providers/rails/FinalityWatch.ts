/** Notices that the final block of a chain stands still while its head moves on: nothing is settled meanwhile. */
import { Clock, Effect } from "effect"

export interface FinalityWatch {
  readonly saw: (headNumber: number, finalNumber: number) => Effect.Effect<void>
  /** The reason for an alarm, or undefined while final blocks come. */
  readonly stalled: Effect.Effect<string | undefined>
}

/** `mostMillis` is the longest time between two final blocks that is usual on the chain. */
export const make = (mostMillis: number): FinalityWatch => {
  let final = -1
  let sinceMillis = 0
  let [firstHead, head] = [0, 0]
  return {
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
        ? `the final block has been ${final} for ${Math.floor((now - sinceMillis) / 60_000)} minutes, while the head came from ${firstHead} to ${head}`
        : undefined
    )
  }
}
