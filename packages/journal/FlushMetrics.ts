/** Measures the flushes of a journal. */
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect } from "effect"
import type { Draft } from "./OpenStream.ts"

export interface FlushMetrics {
  /** Counts a flush that is sent. Returns a function to call with whether the database responded. */
  readonly sent: (drafts: ReadonlyArray<Draft>) => (isAnswered: boolean) => void
}

export const make: Effect.Effect<FlushMetrics> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const seconds = yield* Meter.histogram(Storage.flushSeconds, {})
  const rows = yield* Meter.histogram(Storage.flushRows, {})
  const bytes = yield* Meter.counter(Storage.journalWritten, {})
  const inDoubt = yield* Meter.counter(Storage.flushesInDoubt, {})
  return {
    sent: (drafts) => {
      const sentAt = clock.monotonicTimeNanosUnsafe()
      rows(drafts.length)
      bytes(drafts.reduce((sum, { events }) => sum + events.length, 0))
      return (isAnswered) => {
        if (isAnswered) seconds(Number(clock.monotonicTimeNanosUnsafe() - sentAt) / 1e9)
        else inDoubt()
      }
    }
  }
})
