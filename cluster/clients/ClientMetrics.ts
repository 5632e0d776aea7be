/** Metrics of this node's calls to desks and markets: their duration, and the commands that wait for them. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Orders from "@venue/telemetry/catalogue/Orders"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect } from "effect"

/** Queue of commands for one target. */
interface Waiting {
  readonly size: () => number
}

export const ofDesks = Effect.fnUntraced(function* (queues: ReadonlyMap<string, Waiting>) {
  yield* Meter.collect(Orders.deskCommandsWaiting, () =>
    Array.from(queues, ([desk, queue]) => [{ desk }, queue.size()] as const)
  )
  return yield* makeCalls("desk")
})

export const ofMarkets = Effect.fnUntraced(function* (batchers: ReadonlyMap<MarketSymbol, Waiting>) {
  yield* Meter.collect(Orders.marketCommandsWaiting, () =>
    Array.from(batchers, ([symbol, batcher]) => [{ symbol }, batcher.size()] as const)
  )
  return yield* makeCalls("market")
})

const makeCalls = Effect.fnUntraced(function* (step: "desk" | "market") {
  const clock = yield* Clock.Clock
  const seconds = yield* Meter.histogram(Orders.orderSeconds, { step })
  const refused = yield* Meter.counter(Orders.commandsRefused, { target: step })
  return {
    refused: () => refused(),
    /** Starts to measure a call. Returns a function to call with the response in place of `done`. */
    timed: <Response extends ReadonlyArray<unknown>>(done: (...response: Response) => void) => {
      const sentAt = clock.monotonicTimeNanosUnsafe()
      return (...response: Response): void => {
        seconds(Number(clock.monotonicTimeNanosUnsafe() - sentAt) / 1e9)
        done(...response)
      }
    }
  }
})
