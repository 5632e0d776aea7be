/** Derived streams: with repeated commands, or with fewer commands. */
import type { MarketCommand } from "@venue/domain/Market"
import { chanceOf } from "../Chance.ts"
import { isTraderCommand, type Stream } from "./Streams.ts"

/** Returns the stream with each trader command delivered one to five times, the repeats at random later positions. */
export const repeated = (stream: Stream): Stream => {
  const { percent, whole } = chanceOf(stream.seed + 1_000_000)
  const later = new Map<number, Array<MarketCommand>>()
  const steps = stream.steps.flatMap((step, index) => {
    for (let copies = percent(50) ? whole(0, 4) : 0; copies > 0 && isTraderCommand(step.command); copies--) {
      const place = Math.min(index + whole(0, percent(50) ? 5 : 200), stream.steps.length - 1)
      later.set(place, [...(later.get(place) ?? []), step.command])
    }
    return [step, ...(later.get(index) ?? []).map((command) => ({ atMillis: step.atMillis, command }))]
  })
  return { ...stream, steps }
}

/** Removes as many steps as possible while the stream still fails. */
export const shrink = (stream: Stream, fails: (stream: Stream) => boolean): Stream => {
  let smallest = stream
  for (let size = stream.steps.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < smallest.steps.length;) {
      const steps = smallest.steps.toSpliced(from, size)
      if (fails({ ...smallest, steps })) smallest = { ...smallest, steps }
      else from += size
    }
  }
  return smallest
}
