/**
 * Markets without a recent row or heartbeat. A trader that has joined such a market must not add risk in any market.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, identity } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Trader } from "../traders/Trader.ts"

export interface SilentMarkets {
  /** Whether the order's market and all joined markets are alive, because margin is held against the whole equity. */
  readonly mayAddRisk: (trader: Trader, symbol: MarketSymbol) => boolean
}

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  let silent: ReadonlySet<MarketSymbol> = new Set()
  let checkedAtMillis = -Infinity

  return identity<SilentMarkets>({
    mayAddRisk: (trader, symbol) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (Math.abs(nowMillis - checkedAtMillis) > checkMillis) {
        checkedAtMillis = nowMillis
        silent = new Set(
          [...instruments.keys()].filter((listed) => {
            const head = feed.head(listed)
            return head === undefined || nowMillis - head.aliveAtMillis > staleMillis
          })
        )
      }
      return silent.size === 0 || (!silent.has(symbol) && !trader.symbols().some((joined) => silent.has(joined)))
    }
  })
})

/** Time without a row or heartbeat after which a market counts as silent. */
const staleMillis = 2_000
/** Interval at which the set of silent markets is computed. */
const checkMillis = 100
