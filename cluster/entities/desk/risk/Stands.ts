/** What the accounts of a desk can do for the open takeovers of a market: gathered for a moment, then sent in one call. */
import type { Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { refresh } from "@venue/ledger/Account"
import { stand } from "@venue/ledger/Liquidation"
import { Effect } from "effect"
import { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import * as ProviderMargins from "./ProviderMargins.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

export interface Stands {
  readonly opened: (symbol: MarketSymbol) => void
  /** Answers the takeovers that are still open again, since positions have changed. */
  readonly closed: (symbol: MarketSymbol) => void
  /** The takeovers of the market were taken over as a whole: some may have opened or closed without an event. */
  readonly begun: (symbol: MarketSymbol) => void
}

/** A desk may be loaded while takeovers are open, and its traders become live one after the other: each is answered for. */
export const make = Effect.fnUntraced(function* (traders: Traders) {
  const markets = yield* MarketClient
  const { takeovers } = yield* Feed
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const gathering = new Set<MarketSymbol>()
  /** Traders that the last answer to a market with open takeovers was of. */
  const answered = new Map<MarketSymbol, ReadonlySet<Trader>>()
  const margins = ProviderMargins.make()

  const openIn = (symbol: MarketSymbol) => takeovers.get(symbol) ?? none
  /** A call that fails is not repeated: accounts without an answer in time are asked last. */
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
    for (const [symbol, of] of answered) if (!of.has(trader)) gather(symbol)
  })
  return {
    opened,
    closed: (symbol) => {
      if (openIn(symbol).size > 0) gather(symbol)
      else ended(symbol)
    },
    begun
  } satisfies Stands as Stands
})

/** Returns the stands of providers of the market and of accounts on the other side of a takeover, the lowest ratios first. */
const standsFor = (
  live: ReadonlyArray<Trader>,
  symbol: MarketSymbol,
  open: ReadonlyArray<number>,
  margins: ProviderMargins.ProviderMargins
): ReadonlyArray<Stand> => {
  const found: Array<Stand> = []
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
      found.push({ userId: trader.userId, ...stand(account, exposure, unused) })
    }
  }
  return found.sort(firstAsked).slice(0, maxStands)
}

const firstAsked = (a: Stand, b: Stand): number =>
  Number(a.provider === null) - Number(b.provider === null) || a.ratioE6 - b.ratioE6

const none: ReadonlyMap<string, number> = new Map()

/** Takeovers of one fall of the mark open within this of each other, as a rule. */
const gatherMillis = 100
/** Stands in one call, which is more than a market asks for in one decision. */
const maxStands = 16_384
