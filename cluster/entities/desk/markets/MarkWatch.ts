/**
 * Which accounts of a desk have to be looked at when a mark has moved: those whose thresholds it has reached (`Headroom`), and
 * those of which something changed. A mark that reaches none costs one comparison for each side of its symbol.
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
  /** Positions or money of the trader are others, or it has come. It is looked at with `lookAgain`, or the next mark. */
  readonly changed: (trader: Trader) => void
  readonly lookAgain: () => void
  /** The symbol has this mark now, in 1e-8 USD. */
  readonly moved: (symbol: MarketSymbol, markE8: number) => void
}

/** One account at its desk; its thresholds stand under the heap that they are in. */
interface Watched {
  readonly trader: Trader
  readonly account: Account
  readonly entries: Map<ThresholdHeap.ThresholdHeap<Entry>, Entry>
}
interface Entry extends ThresholdHeap.Entry {
  readonly watched: Watched
}

/** Longs have their thresholds below the mark, as negative numbers, shorts above it. */
interface Thresholds {
  readonly falls: ThresholdHeap.ThresholdHeap<Entry>
  readonly rises: ThresholdHeap.ThresholdHeap<Entry>
}

/**
 * `found` hears of each account that is in liquidation, `failed` of one at which this threw, which costs no other anything:
 * both are watched again once something of them has changed.
 */
export const make = (
  symbols: Iterable<MarketSymbol>,
  current: (userId: UserId) => Trader | undefined,
  found: (trader: Trader, account: Account) => void,
  failed: (account: Account, cause: unknown) => void
): MarkWatch => {
  const thresholds = new Map<MarketSymbol, Thresholds>()
  for (const symbol of symbols) thresholds.set(symbol, { falls: ThresholdHeap.make(), rises: ThresholdHeap.make() })
  const watching = new Map<UserId, { readonly trader: Trader; readonly accounts: Map<Account, Watched> }>()
  const due = new Set<Trader>()

  const forget = (watched: Watched) => {
    for (const [heap, entry] of watched.entries) heap.remove(entry)
    watched.entries.clear()
  }
  /** What an earlier trader of the user left behind is forgotten. */
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
      const { falls, rises } = thresholds.get(instrument.symbol)!
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
  const look = (trader: Trader, account: Account) => {
    const watched = watchedOf(trader, account)
    const looked = Result.try(() => {
      refresh(account, trader.ledger.prices)
      if (!isInLiquidation(account)) return watch(watched)
      forget(watched)
      found(trader, account)
    })
    if (Result.isSuccess(looked)) return
    forget(watched)
    failed(account, looked.failure)
  }
  const lookAgain = () => {
    for (const trader of due) {
      due.delete(trader)
      // Who is not live yet is told of again once its last market is.
      if (current(trader.userId) !== trader || !trader.isLive()) continue
      for (const account of trader.ledger.accounts.values()) look(trader, account)
    }
  }

  return {
    changed: (trader) => void due.add(trader),
    lookAgain,
    moved: (symbol, markE8) => {
      lookAgain()
      const { falls, rises } = thresholds.get(symbol)!
      for (const reached of [falls.reach(-markE8), rises.reach(markE8)]) {
        for (const { watched } of reached) {
          const { account, trader } = watched
          if (current(trader.userId) === trader && trader.isLive()) look(trader, account)
        }
      }
    }
  }
}
