/** Order previews in one market. Only a few are computed at a time, so that real orders are not delayed. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { MarketPreview, PreviewCommand } from "@venue/domain/Preview"
import * as Engine from "@venue/matching/Engine"
import { Clock, Effect, Result, Semaphore, identity } from "effect"
import { Unavailable } from "../../protocol/Market.ts"
import * as CancelOnly from "./CancelOnly.ts"
import type { MarketLog } from "./MarketLog.ts"

export type Preview = (command: PreviewCommand) => Effect.Effect<MarketPreview, Unavailable>

export const make = Effect.fnUntraced(function* (
  symbol: MarketSymbol,
  log: Pick<MarketLog, "asOf" | "faultSinceMillis">
) {
  const clock = yield* Clock.Clock
  const permits = yield* Semaphore.make(maxConcurrent)
  const unavailable = Effect.fail(new Unavailable({ what: `market ${symbol}` }))
  let waiting = 0

  /** In fault mode the market accepts no orders and market time stops, so the preview is a refusal. */
  const tryOn = (command: PreviewCommand) => (engine: Engine.Engine) =>
    Result.try(() =>
      log.faultSinceMillis() === undefined
        ? Engine.preview(engine, command, clock.currentTimeMillisUnsafe())
        : Engine.preview(engine, refused(command), 0)
    )
  const preview = Effect.fnUntraced(function* (command: PreviewCommand) {
    const { value } = yield* log.asOf(tryOn(command))
    // The engine tried the order on a copy, so its own state is intact.
    if (Result.isFailure(value)) {
      yield* Effect.logError(`market ${symbol}: a preview of ${command._tag} threw an error`, value.failure)
      return yield* unavailable
    }
    return value.success === undefined ? yield* unavailable : value.success
  })

  return identity<Preview>((command) =>
    Effect.suspend(() => {
      if (waiting >= maxWaiting) return unavailable
      waiting++
      return Effect.ensuring(
        permits.withPermit(preview(command)),
        Effect.sync(() => waiting--)
      )
    })
  )
})

const refused = (command: PreviewCommand): PreviewCommand =>
  command._tag === "Refuse" ? command : CancelOnly.refusal(command, "REJECTED_MARKET_CLOSED")

/**
 * Maximum number of previews per flush. A preview that sweeps the whole book blocks the market's decisions for
 * milliseconds.
 */
const maxConcurrent = 4
/** Queue limit; further previews fail with `Unavailable`. */
const maxWaiting = 256
