/**
 * Submits ticks to a market: after changes to the book, while the passing of time might change prices or orders, and
 * every 15 minutes.
 */
import type { MarketEvent } from "@venue/domain/Market"
import { quarterMillis } from "@venue/domain/MarketHours"
import { isStop } from "@venue/domain/Stop"
import { Clock, Effect, type Scope } from "effect"
import * as Beat from "../../feed/Beat.ts"
import type { MarketLog } from "./MarketLog.ts"

export const start = Effect.fnUntraced(function* (
  log: Pick<MarketLog, "isAtRest" | "observe" | "submit">
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const tick = Effect.sync(() => {
    log.submit([{ _tag: "Tick" }], (committed) => {
      if (!committed) asTimePasses.start()
    })
    return !log.isAtRest()
  })
  const afterMoves = yield* Beat.make(movedTickMillis, Effect.as(tick, false))
  const asTimePasses = yield* Beat.make(quietTickMillis, tick)
  const nextQuarter = Effect.suspend(() =>
    Effect.sleep(quarterMillis - (clock.currentTimeMillisUnsafe() % quarterMillis))
  )
  log.observe({
    committed: ({ events, levels }) => {
      if (levels.length > 0) afterMoves.start()
      if (levels.length > 0 || events.some(mayMove)) asTimePasses.start()
    },
    reclaimed: asTimePasses.start
  })
  asTimePasses.start()
  // An idle market also needs ticks: a funding hour might end, or the underlier's trading period might change.
  const quarters = Effect.map(Effect.andThen(nextQuarter, tick), (isMoving) => {
    if (isMoving) asTimePasses.start()
  })
  yield* Effect.forkScoped(Effect.forever(quarters))
})

/** Time within which the mark and the price bands follow a change to the book. */
const movedTickMillis = 100
/** Interval between ticks while time changes the mark or the bands. An idle market ticks every quarter of an hour. */
const quietTickMillis = 1_000
/**
 * Whether the event might make a stop due, or move a price without changing a level. A stop might be placed beyond
 * the current mark, or remain from a time without trading. A trade off the book changes only the open interest.
 */
const mayMove = (event: MarketEvent): boolean =>
  event._tag === "Priced" ||
  event._tag === "Traded" ||
  event._tag === "TradingStateChanged" ||
  event._tag === "StopPlaced" ||
  (event._tag === "Modified" && isStop(event.order.type))
