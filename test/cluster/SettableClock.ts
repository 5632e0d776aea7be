/** Clock that a test can set and that then advances with real time. */
import { type Clock, Effect } from "effect"

export const settable = (real: Clock.Clock) => {
  let startMillis = real.currentTimeMillisUnsafe()
  let startedMillis = startMillis
  const millis = () => startMillis + real.currentTimeMillisUnsafe() - startedMillis
  const nanos = () => BigInt(millis()) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return {
    clock,
    set: (toMillis: number) => {
      startMillis = toMillis
      startedMillis = real.currentTimeMillisUnsafe()
    }
  }
}
