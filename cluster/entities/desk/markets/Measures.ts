/**
 * What is sent to markets for one account in liquidation (rule 9.3): its positions one market at a time, its orders
 * and TWAPs in all.
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

/** An account in liquidation, and what was last sent for it. */
export interface Case {
  readonly trader: Trader
  readonly account: Account
  actedAtMillis: number
  measure: Sent | undefined
  readonly cancels: Map<MarketSymbol, Sent>
}

export const none = (trader: Trader, account: Account): Case => ({
  trader,
  account,
  actedAtMillis: 0,
  measure: undefined,
  cancels: new Map()
})

/** Answers how to take the next measures. What is still on its way is not sent again. */
export const make = Effect.fnUntraced(function* (twaps: DeskTwaps) {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const ids = yield* Ids
  const { commandExpiryMillis } = yield* VenueSettings
  const now = () => clock.currentTimeMillisUnsafe()

  const isHeard = (symbol: MarketSymbol) => now() - (feed.head(symbol)?.aliveAtMillis ?? -Infinity) <= silentMillis
  const isOpen = (symbol: MarketSymbol) =>
    feed.tradingStates.get(symbol) === "TRADING" && feed.prices.get(symbol)?.source !== "stale" && isHeard(symbol)
  /** Past its expiry it will not be done any more. */
  const isOnItsWay = ({ trader }: Case, sent: Sent | undefined) =>
    sent !== undefined && trader.ledger.inFlight.has(sent.commandId.text) && now() <= sent.expiresAtMillis

  /** Answers the market that it was sent to. */
  const takeMeasure = (one: Case): MarketSymbol | undefined => {
    if (isOnItsWay(one, one.measure)) return undefined
    const { account, trader } = one
    const next = measure(account, isOpen)
    if (next === undefined) return undefined
    const { symbol } = next.exposure.instrument
    const sent = { commandId: ids.next(), expiresAtMillis: now() + commandExpiryMillis }
    const isSent = trader.send(symbol, (traderEpoch) =>
      enterMeasure(trader.ledger, account, next, { ...sent, traderEpoch })
    )
    if (isSent) one.measure = sent
    return symbol
  }
  /** A halted market lets no cancel in. */
  const cancel = (one: Case, symbol: MarketSymbol) => {
    if (isOnItsWay(one, one.cancels.get(symbol)) || feed.tradingStates.get(symbol) === "HALTED") return
    const { accountId } = one.account
    const sent = { commandId: ids.next(), expiresAtMillis: now() + commandExpiryMillis }
    if (one.trader.enter({ _tag: "CancelAllOrders", ...sent, accountId, symbol, cause: "LIQUIDATION" }))
      one.cancels.set(symbol, sent)
  }

  return (one: Case): void => {
    one.actedAtMillis = now()
    twaps.end(one.trader, { accountId: one.account.accountId }, "LIQUIDATION")
    // What is done in a market ends the orders there.
    const symbol = takeMeasure(one)
    for (const other of ordered(one.account)) if (other !== symbol) cancel(one, other)
  }
})

/** A market that has not shown itself for so long is left out. */
const silentMillis = 2_000
