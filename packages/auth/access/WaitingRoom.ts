/** Bounded queue for expensive unauthenticated work; one waiter proceeds per turn of the event loop. */
import { Effect, Schema } from "effect"

export class TooManyWait extends Schema.TaggedError<TooManyWait>()("TooManyWait", {}) {}

export interface WaitingRoom {
  /** Waits in the queue; an interrupted waiter leaves the queue. */
  readonly wait: Effect.Effect<void, TooManyWait>
  readonly isFull: () => boolean
}

export const make = (maxWaiting: number): WaitingRoom => {
  const waiting = new Set<() => void>()
  let isMoving = false
  const move = () => {
    const [first] = waiting
    isMoving = first !== undefined
    if (first === undefined) return
    waiting.delete(first)
    setImmediate(move)
    first()
  }
  const isFull = () => waiting.size >= maxWaiting
  return {
    isFull,
    wait: Effect.callback<void, TooManyWait>((resume) => {
      if (isFull()) return resume(Effect.fail(new TooManyWait()))
      const go = () => resume(Effect.void)
      waiting.add(go)
      if (!isMoving) setImmediate(move)
      isMoving = true
      return Effect.sync(() => waiting.delete(go))
    })
  }
}
