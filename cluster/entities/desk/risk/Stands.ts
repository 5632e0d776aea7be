/**
 * Sends the stands of a desk's accounts to a market with open takeovers. A stand states how much of the takeovers an
 * account can bear. Stands are collected for `gatherMillis` into one call.
 */
import type { Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { refresh } from "@venue/ledger/Account"
import { stand } from "@venue/ledger/Liquidation"
import { Effect, identity } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import * as ProviderMargins from "./ProviderMargins.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Stands {
  /** Sends stands for a new takeover. */
  readonly opened: (symbol: MarketSymbol) => void
  /** Sends new stands for the remaining open takeovers, because positions have changed. */
  readonly closed: (symbol: MarketSymbol) => void
  /** Checks all takeovers in a market whose whole state was replaced, because no event reports the changes. */
  readonly begun: (symbol: MarketSymbol) => void
}

/** Also sends stands for traders that become live while takeovers are open, for example after a desk has moved. */
export const make = Effect.fnUntraced(function* (traders: Traders) {
  const markets = yield* MarketClient
  const { takeovers } = yield* Feed
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const gathering = new Set<MarketSymbol>()
  /** Traders included in the last call to each market with open takeovers. */
  const answered = new Map<MarketSymbol, ReadonlySet<Trader>>()
  const margins = ProviderMargins.make()

  const openIn = (symbol: MarketSymbol) => takeovers.get(symbol) ?? none
  /** A failed call is not retried. Accounts whose stand does not arrive in time count as silent and are used last. */
  const send = (symbol: MarketSymbol) =>
    Effect.suspend(() => {
      gathering.delete(symbol)
      const open = openIn(symbol)
      if (open.size === 0) return Effect.sync(() => ended(symbol))
      const live = [...traders.all()].filter((trader) => trader.isLive())
      answered.set(symbol, new Set(live))
      const stands = standsFor(live, symbol, [...open.values()], margins)
      return stands.length === 0 ? Effect.void : Effect.ignore(markets.stand(symbol, stands))
    })
  const gather = (symbol: MarketSymbol) => {
    if (gathering.has(symbol)) return
    gathering.add(symbol)
    run(Effect.forkIn(Effect.delay(send(symbol), gatherMillis), scope))
  }
  const ended = (symbol: MarketSymbol) => {
    answered.delete(symbol)
    margins.ended(symbol)
  }
  const opened = (symbol: MarketSymbol) => {
    margins.opened(symbol)
    if (!answered.has(symbol)) answered.set(symbol, new Set())
    gather(symbol)
  }

  const begun = (symbol: MarketSymbol) => {
    if (openIn(symbol).size > 0) opened(symbol)
    else ended(symbol)
  }
  for (const symbol of takeovers.keys()) begun(symbol)
  traders.watchMoves((trader) => {
    if (answered.size === 0 || !trader.isLive()) return
    for (const [symbol, included] of answered) if (!included.has(trader)) gather(symbol)
  })
  return identity<Stands>({
    opened,
    closed: (symbol) => {
      if (openIn(symbol).size > 0) gather(symbol)
      else ended(symbol)
    },
    begun
  })
})

/**
 * Returns the stands of the market's providers, then those of accounts on the opposite side of a takeover, lowest
 * ratios first.
 */
const standsFor = (
  live: ReadonlyArray<Trader>,
  symbol: MarketSymbol,
  open: ReadonlyArray<number>,
  margins: ProviderMargins.ProviderMargins
): ReadonlyArray<Stand> => {
  const stands: Array<Stand> = []
  for (const trader of live) {
    for (const account of trader.ledger.accounts.values()) {
      const exposure = account.exposures.get(symbol)
      if (exposure === undefined) continue
      const held = Math.sign(exposure.position.quantityLots)
      const isOpposite = open.some((lots) => Math.sign(lots) === -held)
      const isProvider = account.providerLimits.has(symbol)
      if (!isOpposite && !isProvider) continue
      refresh(account, trader.ledger.prices)
      const unused = isProvider ? margins.pledge(account, symbol) : 0n
      stands.push({ userId: trader.userId, ...stand(account, exposure, unused) })
    }
  }
  return stands.sort(byPriority).slice(0, maxStands)
}

const byPriority = (a: Stand, b: Stand): number =>
  Number(a.provider === null) - Number(b.provider === null) || a.ratioE6 - b.ratioE6

const none: ReadonlyMap<string, number> = new Map()

/** Takeovers that are caused by the same move of the mark price normally open within this time. */
const gatherMillis = 100
/** Maximum number of stands in one call, more than a market uses in one decision. */
const maxStands = 16_384
