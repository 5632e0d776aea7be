/** A test clock that counts sleeps, and with them the wake-ups. */
import { Clock, Effect } from "effect"

export const counted = Effect.map(Clock.Clock, (inner) => {
  let sleeps = 0
  const clock: Clock.Clock = {
    ...inner,
    sleep: (duration) =>
      Effect.suspend(() => {
        sleeps++
        return inner.sleep(duration)
      })
  }
  return { clock, wakes: () => sleeps }
})
