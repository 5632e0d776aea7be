/**
 * Detects a desk's accounts that fall into liquidation. When a mark price moves, checks the accounts whose thresholds
 * it has reached (`Headroom`) and the accounts that have changed. A mark that reaches no threshold costs one
 * comparison per side.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { UserId } from "@venue/domain/UserId"
import { type Account, refresh } from "@venue/ledger/Account"
import * as Headroom from "@venue/ledger/Headroom"
import { isInLiquidation } from "@venue/ledger/Liquidation"
import { Result } from "effect"
import * as ThresholdHeap from "../risk/ThresholdHeap.ts"
import type { Trader } from "../traders/Trader.ts"

export interface MarkWatch {
  /** Marks a loaded or changed trader for a check by `checkChanged` or at the next mark price. */
  readonly changed: (trader: Trader) => void
  readonly checkChanged: () => void
  /** Applies a symbol's new mark price, in 1e-8 USD. */
  readonly moved: (symbol: MarketSymbol, markE8: number) => void
}

/** A watched account and its thresholds, keyed by the heap that contains each threshold. */
interface Watched {
  readonly trader: Trader
  readonly account: Account
  readonly entries: Map<ThresholdHeap.ThresholdHeap<Entry>, Entry>
}
interface Entry extends ThresholdHeap.Entry {
  readonly watched: Watched
}

/**
 * Thresholds of long and short positions. Longs' thresholds lie below the mark and are stored as negative numbers;
 * shorts' thresholds lie above it.
 */
interface Thresholds {
  readonly falls: ThresholdHeap.ThresholdHeap<Entry>
  readonly rises: ThresholdHeap.ThresholdHeap<Entry>
}

/**
 * Creates the watch. Calls `begin` for each account in liquidation, and `failed` for each account whose check threw.
 * Both kinds are watched again after a change.
 */
export const make = (
  current: (userId: UserId) => Trader | undefined,
  begin: (trader: Trader, account: Account) => void,
  failed: (account: Account, cause: unknown) => void
): MarkWatch => {
  const thresholds = new Map<MarketSymbol, Thresholds>()
  const thresholdsOf = (symbol: MarketSymbol): Thresholds => {
    let known = thresholds.get(symbol)
    if (known === undefined)
      thresholds.set(symbol, (known = { falls: ThresholdHeap.make(), rises: ThresholdHeap.make() }))
    return known
  }
  const watching = new Map<UserId, { readonly trader: Trader; readonly accounts: Map<Account, Watched> }>()
  const due = new Set<Trader>()

  const forget = (watched: Watched) => {
    for (const [heap, entry] of watched.entries) heap.remove(entry)
    watched.entries.clear()
  }
  /** Drops the thresholds of an earlier trader object for the same user. */
  const watchedOf = (trader: Trader, account: Account): Watched => {
    let ofTrader = watching.get(trader.userId)
    if (ofTrader?.trader !== trader) {
      for (const watched of ofTrader?.accounts.values() ?? []) forget(watched)
      watching.set(trader.userId, (ofTrader = { trader, accounts: new Map() }))
    }
    let watched = ofTrader.accounts.get(account)
    if (watched === undefined) ofTrader.accounts.set(account, (watched = { trader, account, entries: new Map() }))
    return watched
  }
  const watch = (watched: Watched) => {
    const { account, trader } = watched
    const gone = new Set(watched.entries.keys())
    Headroom.thresholds(account, trader.ledger.prices, ({ instrument, position }, markE8) => {
      const { falls, rises } = thresholdsOf(instrument.symbol)
      const heap = position.quantityLots > 0 ? falls : rises
      let entry = watched.entries.get(heap)
      if (entry === undefined) watched.entries.set(heap, (entry = { watched, threshold: 0, at: -1 }))
      heap.set(entry, position.quantityLots > 0 ? -markE8 : markE8)
      gone.delete(heap)
    })
    for (const heap of gone) {
      heap.remove(watched.entries.get(heap)!)
      watched.entries.delete(heap)
    }
  }
  const check = (trader: Trader, account: Account) => {
    const watched = watchedOf(trader, account)
    const checked = Result.try(() => {
      refresh(account, trader.ledger.prices)
      if (!isInLiquidation(account)) return watch(watched)
      forget(watched)
      begin(trader, account)
    })
    if (Result.isSuccess(checked)) return
    forget(watched)
    failed(account, checked.failure)
  }
  const checkChanged = () => {
    for (const trader of due) {
      due.delete(trader)
      // A trader that is not live is skipped here and marked again when its last market becomes live.
      if (current(trader.userId) !== trader || !trader.isLive()) continue
      for (const account of trader.ledger.accounts.values()) check(trader, account)
    }
  }

  return {
    changed: (trader) => void due.add(trader),
    checkChanged,
    moved: (symbol, markE8) => {
      checkChanged()
      const { falls, rises } = thresholdsOf(symbol)
      for (const reached of [falls.reach(-markE8), rises.reach(markE8)]) {
        for (const { watched } of reached) {
          const { account, trader } = watched
          if (current(trader.userId) === trader && trader.isLive()) check(trader, account)
        }
      }
    }
  }
}
