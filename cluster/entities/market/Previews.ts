/** What orders would come to in one market: told a few at a time, so that orders come in between. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import * as Engine from "@venue/matching/Engine"
import { Clock, Effect, Result, Semaphore } from "effect"
import { Unavailable } from "../../protocol/Market.ts"
import * as CancelOnly from "./CancelOnly.ts"
import type { MarketLog } from "./MarketLog.ts"

export type Preview = (command: PreviewCommand) => Effect.Effect<MarketPreview, Unavailable>

export const make = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  log: Pick<MarketLog, "asOf" | "faultSinceMillis">
) {
  const clock = yield* Clock.Clock
  const turns = yield* Semaphore.make(atOnce)
  const unavailable = Effect.fail(new Unavailable({ what: `market ${symbol}` }))
  let waiting = 0

  /** As the market would take it: one that can no longer take prices in takes no orders, and its time stands still. */
  const look = (command: PreviewCommand) => (engine: Engine.Engine) =>
    Result.try(() =>
      log.faultSinceMillis() === undefined
        ? Engine.preview(engine, command, clock.currentTimeMillisUnsafe())
        : Engine.preview(engine, shut(command), 0)
    )
  const preview = Effect.fnUntraced(function* (command: PreviewCommand) {
    const { value } = yield* log.asOf(look(command))
    // The state is as it was: what was tried was tried on a copy.
    if (Result.isFailure(value)) {
      yield* Effect.logError(`market ${symbol}: a preview of ${command._tag} threw`, value.failure)
      return yield* unavailable
    }
    return value.success === undefined ? yield* unavailable : value.success
  })

  return ((command) =>
    Effect.suspend(() => {
      if (waiting >= maxWaiting) return unavailable
      waiting++
      return Effect.ensuring(
        turns.withPermit(preview(command)),
        Effect.sync(() => waiting--)
      )
    })) satisfies Preview as Preview
})

const shut = (command: PreviewCommand): PreviewCommand =>
  command._tag === "Refuse" ? command : CancelOnly.refusal(command, "REJECTED_MARKET_CLOSED")

/** One that takes the whole book takes some milliseconds, and all that are looked at with one row hold up its market. */
const atOnce = 4
/** Whoever comes later is told to come again; nobody would wait for so many. */
const maxWaiting = 256
