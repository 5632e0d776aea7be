/**
 * Commands for an account in liquidation (rule 9.3): measures in one market at a time, and cancels in all of its
 * markets.
 */
import type { Id } from "@venue/domain/Id"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Account } from "@venue/ledger/Account"
import { enterMeasure, measure, ordered } from "@venue/ledger/Liquidation"
import { Clock, Effect } from "effect"
import { Ids } from "../../../clients/Ids.ts"
import { Feed } from "../../../feed/Feed.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Trader } from "../traders/Trader.ts"
import type { DeskTwaps } from "../orders/Twaps.ts"

interface Sent {
  readonly commandId: Id
  readonly expiresAtMillis: number
}

/** An account in liquidation, with the last commands that the desk sent for it. */
export interface Liquidation {
  readonly trader: Trader
  readonly account: Account
  actedAtMillis: number
  measure: Sent | undefined
  readonly cancels: Map<MarketSymbol, Sent>
}

export const begin = (trader: Trader, account: Account): Liquidation => ({
  trader,
  account,
  actedAtMillis: 0,
  measure: undefined,
  cancels: new Map()
})

/** Returns a function that takes the next measures and never repeats a command that is still in flight. */
export const make = Effect.fnUntraced(function* (twaps: DeskTwaps) {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const ids = yield* Ids
  const { commandExpiryMillis } = yield* VenueSettings
  const now = () => clock.currentTimeMillisUnsafe()

  const isAlive = (symbol: MarketSymbol) => now() - (feed.head(symbol)?.aliveAtMillis ?? -Infinity) <= silentMillis
  const isOpen = (symbol: MarketSymbol) =>
    feed.tradingStates.get(symbol) === "TRADING" && feed.prices.get(symbol)?.source !== "stale" && isAlive(symbol)
  /** An expired command is never executed, so it is no longer in flight. */
  const isInFlight = ({ trader }: Liquidation, sent: Sent | undefined) =>
    sent !== undefined && trader.ledger.inFlight.has(sent.commandId.text) && now() <= sent.expiresAtMillis

  /** Sends the next measure and returns its market. */
  const takeMeasure = (liquidation: Liquidation): MarketSymbol | undefined => {
    if (isInFlight(liquidation, liquidation.measure)) return undefined
    const { account, trader } = liquidation
    const next = measure(account, isOpen)
    if (next === undefined) return undefined
    const { symbol } = next.exposure.instrument
    const sent = { commandId: ids.next(), expiresAtMillis: now() + commandExpiryMillis }
    const isSent = trader.send(symbol, (traderEpoch) =>
      enterMeasure(trader.ledger, account, next, { ...sent, traderEpoch })
    )
    if (isSent) liquidation.measure = sent
    return symbol
  }
  /** A halted market accepts no cancels. */
  const cancel = (liquidation: Liquidation, symbol: MarketSymbol) => {
    if (isInFlight(liquidation, liquidation.cancels.get(symbol)) || feed.tradingStates.get(symbol) === "HALTED") return
    const { accountId } = liquidation.account
    const sent = { commandId: ids.next(), expiresAtMillis: now() + commandExpiryMillis }
    if (liquidation.trader.enter({ _tag: "CancelAllOrders", ...sent, accountId, symbol, cause: "LIQUIDATION" }))
      liquidation.cancels.set(symbol, sent)
  }

  return (liquidation: Liquidation): void => {
    const { account, trader } = liquidation
    liquidation.actedAtMillis = now()
    twaps.end(trader, { accountId: account.accountId }, "LIQUIDATION")
    // A measure also cancels the orders in its market.
    const symbol = takeMeasure(liquidation)
    for (const other of ordered(account)) if (other !== symbol) cancel(liquidation, other)
  }
})

/** Time without a row or heartbeat after which a market is skipped. */
const silentMillis = 2_000
