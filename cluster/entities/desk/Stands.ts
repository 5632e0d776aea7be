/** What the accounts of a desk can do for the takeovers of a market: gathered for a moment, then told in one call. */
import type { Stand, TakeoverClosed, TakeoverOpened } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { refresh } from "@venue/ledger/Account"
import { stand } from "@venue/ledger/Liquidation"
import { Effect } from "effect"
import { MarketClient } from "../../clients/MarketClient.ts"
import * as ProviderMargins from "./ProviderMargins.ts"
import type { Traders } from "./Traders.ts"

export interface Stands {
  readonly opened: (symbol: MarketSymbol, takeover: TakeoverOpened) => void
  /** Those that are still open are answered again, since positions are others now. */
  readonly closed: (symbol: MarketSymbol, takeover: TakeoverClosed) => void
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const markets = yield* MarketClient
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const open = new Map<MarketSymbol, Map<string, TakeoverOpened>>()
  const gathering = new Set<MarketSymbol>()
  const margins = ProviderMargins.make()

  const openIn = (symbol: MarketSymbol) => {
    let found = open.get(symbol)
    if (found === undefined) open.set(symbol, (found = new Map()))
    return found
  }
  /** Whoever is not heard in time is asked last: a call that fails is not made again. */
  const tell = (symbol: MarketSymbol) =>
    Effect.suspend(() => {
      gathering.delete(symbol)
      // They may be closed by now.
      if (openIn(symbol).size === 0) return Effect.void
      const stands = standsFor(traders, symbol, [...openIn(symbol).values()], margins)
      return stands.length === 0 ? Effect.void : Effect.ignore(markets.stand(symbol, stands))
    })
  const gather = (symbol: MarketSymbol) => {
    if (gathering.has(symbol)) return
    gathering.add(symbol)
    run(Effect.forkIn(Effect.delay(tell(symbol), gatherMillis), scope))
  }

  return {
    opened: (symbol, takeover) => {
      openIn(symbol).set(takeover.takeoverId.text, takeover)
      margins.opened(symbol)
      gather(symbol)
    },
    closed: (symbol, { takeoverId }) => {
      const found = openIn(symbol)
      found.delete(takeoverId.text)
      if (found.size > 0) gather(symbol)
      else margins.ended(symbol)
    }
  } satisfies Stands as Stands
})

/**
 * Liquidity providers of the market, and those on the other side of any takeover, the lowest ratios first. Of a trader that
 * is not live nothing is known.
 */
const standsFor = (
  traders: Traders,
  symbol: MarketSymbol,
  open: ReadonlyArray<TakeoverOpened>,
  margins: ProviderMargins.ProviderMargins
): ReadonlyArray<Stand> => {
  const found: Array<Stand> = []
  for (const trader of traders.all()) {
    if (!trader.isLive()) continue
    for (const account of trader.ledger.accounts.values()) {
      const exposure = account.exposures.get(symbol)
      if (exposure === undefined) continue
      const held = Math.sign(exposure.position.quantityLots)
      const isOpposite = open.some(({ quantityLots }) => Math.sign(quantityLots) === -held)
      const isProvider = account.providerLimits.has(symbol)
      if (!isOpposite && !isProvider) continue
      refresh(account, trader.ledger.prices)
      const unused = isProvider ? margins.pledge(account, symbol) : 0n
      found.push({ userId: trader.userId, ...stand(account, exposure, unused) })
    }
  }
  return found.sort(firstAsked).slice(0, maxStands)
}

const firstAsked = (a: Stand, b: Stand): number =>
  Number(a.provider === null) - Number(b.provider === null) || a.ratioE6 - b.ratioE6

/** Takeovers of one fall of the mark are opened within this of each other, as a rule. */
const gatherMillis = 100
/** One call carries so many, which is more than a market asks for in one decision. */
const maxStands = 16_384
