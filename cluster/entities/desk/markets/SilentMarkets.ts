/** Which markets have not shown themselves lately: a trader who has joined one may not be told to add risk anywhere. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Trader } from "../traders/Trader.ts"

export interface SilentMarkets {
  /** Margin is held against all the user has, so every joined market counts, not only the one that is named. */
  readonly mayAddRisk: (trader: Trader, symbol: MarketSymbol) => boolean
}

export const make = Effect.gen(function* () {
  const feed = yield* Feed
  const clock = yield* Clock.Clock
  const { instruments } = yield* VenueSettings
  const symbols = [...instruments.keys()]
  let silent: ReadonlySet<MarketSymbol> = new Set()
  let lookedAtMillis = -Infinity

  return {
    mayAddRisk: (trader, symbol) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (Math.abs(nowMillis - lookedAtMillis) > lookMillis) {
        lookedAtMillis = nowMillis
        silent = new Set(
          symbols.filter((listed) => {
            const head = feed.head(listed)
            return head === undefined || nowMillis - head.aliveAtMillis > staleMillis
          })
        )
      }
      return silent.size === 0 || (!silent.has(symbol) && !trader.symbols().some((joined) => silent.has(joined)))
    }
  } satisfies SilentMarkets as SilentMarkets
})

/** A market that has not shown itself for so long may not be told to add risk. */
const staleMillis = 2_000
/** Markets are looked at this often. */
const lookMillis = 100
