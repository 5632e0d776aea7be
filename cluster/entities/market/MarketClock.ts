/** When a market looks at the time: after its book moved, while something is due by itself, and each quarter hour. */
import type { MarketEvent } from "@venue/domain/Market"
import { quarterMillis } from "@venue/domain/MarketHours"
import { isStop } from "@venue/domain/Stop"
import { Clock, Effect, type Scope } from "effect"
import * as Beat from "../../feed/Beat.ts"
import type { CommittedBatch } from "../../clients/LocalEntities.ts"
import type { MarketLog } from "./MarketLog.ts"

export interface MarketClock {
  /** The log is served: ticks follow until it is at rest. */
  readonly start: () => void
  readonly committed: (committed: CommittedBatch) => void
  /** At rest too, since then an hour may end, and what the market of the underlier is in may change. */
  readonly quarters: Effect.Effect<never>
}

/** `log` is asked for at the first tick, since it is made with its clock. */
export const make = Effect.fnUntraced(function* (
  log: () => MarketLog
): Effect.fn.Return<MarketClock, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const tick = Effect.sync(() => {
    log().submit([{ _tag: "Tick" }], (committed) => {
      if (!committed) asTimePasses.start()
    })
    return !log().isAtRest()
  })
  const afterMoves = yield* Beat.make(movedTickMillis, Effect.as(tick, false))
  const asTimePasses = yield* Beat.make(quietTickMillis, tick)
  const nextQuarter = Effect.suspend(() =>
    Effect.sleep(quarterMillis - (clock.currentTimeMillisUnsafe() % quarterMillis))
  )
  return {
    start: asTimePasses.start,
    committed: ({ events, levels }) => {
      if (levels.length > 0) afterMoves.start()
      if (levels.length > 0 || events.some(mayMove)) asTimePasses.start()
    },
    quarters: Effect.forever(
      Effect.map(Effect.andThen(nextQuarter, tick), (isMoving) => {
        if (isMoving) asTimePasses.start()
      })
    )
  }
})

/** After the book moved, the mark and the bands are brought up to date within this. */
const movedTickMillis = 100
/** While they move by themselves, they are brought up to date this often; at rest they wait for the next quarter hour. */
const quietTickMillis = 1_000
/**
 * Stops may be due: placed or moved to where the mark is already, or left from when nothing was traded. A trade off the
 * book changes the open interest and no level.
 */
const mayMove = (event: MarketEvent): boolean =>
  event._tag === "Priced" ||
  event._tag === "Traded" ||
  event._tag === "TradingStateChanged" ||
  event._tag === "StopPlaced" ||
  (event._tag === "Modified" && isStop(event.order.type))
