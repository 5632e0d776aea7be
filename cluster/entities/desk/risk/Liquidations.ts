/**
 * Liquidates a desk's accounts whose equity has fallen to the maintenance margin (rule 9). Takes measures immediately
 * and then every second until the equity is higher. Stores nothing, because every owner of a trader detects the
 * liquidation itself.
 */
import type { AccountId } from "@venue/domain/AccountId"
import { type Account, isFrozen, refresh } from "@venue/ledger/Account"
import { isInLiquidation } from "@venue/ledger/Liquidation"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect, Result, type Scope } from "effect"
import type { Batch } from "../../../feed/Batch.ts"
import type { MarketClient } from "../../../clients/MarketClient.ts"
import { Feed } from "../../../feed/Feed.ts"
import * as Beat from "../../../feed/Beat.ts"
import * as LeftPositions from "./LeftPositions.ts"
import * as MarkWatch from "../markets/MarkWatch.ts"
import * as Measures from "../markets/Measures.ts"
import * as Stands from "./Stands.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"
import type { DeskTwaps } from "../orders/Twaps.ts"

export interface Liquidations {
  /** Returns the desk's positions for which no counterparty was found yet. */
  readonly left: LeftPositions.LeftPositions["all"]
}

export const make = Effect.fnUntraced(function* (
  traders: Traders,
  twaps: DeskTwaps
): Effect.fn.Return<Liquidations, never, Feed | MarketClient | VenueModes | Scope.Scope> {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const modes = yield* VenueModes
  const measure = yield* Measures.make(twaps)
  /** While the venue is halted, balances are in doubt (I52), so measures wait. Accounts are rechecked every second. */
  const act = (liquidation: Measures.Liquidation) => {
    if (modes.now().trading !== "HALTED") measure(liquidation)
  }
  const left = yield* LeftPositions.make(traders)
  const stands = yield* Stands.make(traders)
  const liquidations = new Map<Account, Measures.Liquidation>()
  const now = () => clock.currentTimeMillisUnsafe()

  /** After an error, the account is skipped until it changes; other accounts continue. */
  const failed = ({ accountId }: Account, cause: unknown) => run(Effect.logError(failureText(accountId), cause))
  const begin = (trader: Trader, account: Account) => {
    if (liquidations.has(account)) return
    const liquidation = Measures.begin(trader, account)
    liquidations.set(account, liquidation)
    beat.start()
    act(liquidation)
  }
  const marks = MarkWatch.make(traders.get, begin, failed)
  const advance = (liquidation: Measures.Liquidation) => {
    const { account, trader } = liquidation
    const isLoaded = traders.get(trader.userId) === trader
    if (isLoaded && !trader.isLive()) return
    refresh(account, trader.ledger.prices)
    if (isLoaded && (isInLiquidation(account) || isFrozen(account))) {
      if (now() - liquidation.actedAtMillis >= intervalMillis - earlyMillis) act(liquidation)
      return
    }
    liquidations.delete(account)
    left.dropAccount(account.accountId)
    if (isLoaded) changed(trader)
  }
  const beat = yield* Beat.make(
    intervalMillis,
    Effect.sync(() => {
      for (const liquidation of liquidations.values()) {
        const advanced = Result.try(() => advance(liquidation))
        if (Result.isSuccess(advanced)) continue
        liquidations.delete(liquidation.account)
        failed(liquidation.account, advanced.failure)
      }
      return liquidations.size > 0
    })
  )

  const checks = yield* Beat.make(checkMillis, Effect.as(Effect.sync(marks.checkChanged), false))
  const changed = (trader: Trader) => {
    marks.changed(trader)
    checks.start()
  }
  for (const trader of traders.all()) changed(trader)
  traders.watch(changed)
  traders.watchMoves(changed)

  const observe = ({ events, instrument: { symbol } }: Batch) => {
    let hasMoved = false
    for (const event of events) {
      if (event._tag === "Priced") hasMoved = true
      else if (event._tag === "TakeoverOpened") stands.opened(symbol)
      else if (event._tag === "TakeoverClosed") {
        stands.closed(symbol)
        left.closed(symbol, event)
      }
    }
    if (hasMoved) marks.moved(symbol, feed.prices.get(symbol)!.freshMarkE8)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => feed.watch(observe, stands.begun)),
    (stop) => Effect.sync(stop)
  )
  return { left: left.all }
})

const failureText = (accountId: AccountId): string =>
  `account ${accountId}: the liquidation check threw an error; the account is checked again when it changes`

/** Interval between measures for an account in liquidation. */
const intervalMillis = 1_000
/** Tolerance for timers that fire early. */
const earlyMillis = 10
/** Time within which a changed account is checked, unless a mark price triggers the check earlier. */
const checkMillis = 100
