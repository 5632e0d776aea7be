/**
 * Who is told of what happens to an account, and of what concerns every position of a market: the traders and sockets of
 * this node that follow it.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { Result } from "effect"
import type { Batch } from "./Batch.ts"
import * as Outcome from "./Outcome.ts"

export interface Follower {
  /** Traders come before sockets: who is told of an order can read it. */
  readonly rank: "trader" | "socket"
  /**
   * Called for each event that concerns what is followed. A trader receives them in the order of the log, a socket receives the
   * trades of an outcome before its other events.
   */
  readonly observe: (event: MarketEvent, batch: Batch) => void
  /** Called for each trade of an outcome after the last of them, with the follower's order as the outcome left it. */
  readonly filled?: (event: Traded, order: Order, batch: Batch) => void
  /** It threw, so it is told nothing more of this: it no longer knows what is true. */
  readonly broken: () => void
}

export interface Followers {
  /** Returns how to stop. */
  readonly follow: (accountId: AccountId, follower: Follower) => () => void
  /** Of a market only what concerns every position is told, once to each follower. Returns how to stop. */
  readonly followMarket: (symbol: MarketSymbol, follower: Follower) => () => void
  /**
   * Passes the event at this index of the batch to the followers of its account, or of its market. A trade is passed with the
   * whole outcome that it begins. Returns the index of the last event that was passed.
   */
  readonly tell: (batch: Batch, at: number) => number
}

/** Followers of one account. A list is replaced, never changed, so that a follower may leave while its list is in use. */
interface Account {
  readonly accountId: AccountId
  traders: ReadonlyArray<Follower>
  sockets: ReadonlyArray<Follower>
}

/** `report` receives each follower that threw. That costs the other followers and the market nothing. */
export const make = (
  report: (followed: AccountId | MarketSymbol, follower: Follower, cause: unknown) => void
): Followers => {
  const byAccount = new Map<AccountId, Account>()
  /** A market has as many followers as traders that joined it, so they are a set, of which one may leave at any time. */
  const byMarket = new Map<MarketSymbol, Set<Follower>>()

  const unfollow = (account: Account, follower: Follower) => {
    account.traders = account.traders.filter((other) => other !== follower)
    account.sockets = account.sockets.filter((other) => other !== follower)
    const isEmpty = account.traders.length === 0 && account.sockets.length === 0
    if (isEmpty && byAccount.get(account.accountId) === account) byAccount.delete(account.accountId)
  }
  const unfollowMarket = (symbol: MarketSymbol, follower: Follower) => {
    const others = byMarket.get(symbol)
    if (others?.delete(follower) === true && others.size === 0) byMarket.delete(symbol)
  }
  /** False when it threw, which is reported. */
  const receives = (followed: AccountId | MarketSymbol, follower: Follower, receive: () => void): boolean => {
    const received = Result.try(receive)
    if (Result.isSuccess(received)) return true
    report(followed, follower, received.failure)
    return false
  }
  const tellers: Tellers = {
    accountOf: (accountId) => byAccount.get(accountId),
    tell: (account, rank, event, batch) => {
      if (account === undefined) return
      for (const follower of account[rank]) {
        if (receives(account.accountId, follower, () => follower.observe(event, batch))) continue
        unfollow(account, follower)
        follower.broken()
      }
    },
    tellFilled: (account, event, order, batch) => {
      if (account === undefined) return
      for (const follower of account.sockets) {
        if (receives(account.accountId, follower, () => follower.filled?.(event, order, batch))) continue
        unfollow(account, follower)
        follower.broken()
      }
    },
    tellMarket: (symbol, event, batch) => {
      for (const follower of byMarket.get(symbol) ?? []) {
        if (receives(symbol, follower, () => follower.observe(event, batch))) continue
        unfollowMarket(symbol, follower)
        follower.broken()
      }
    }
  }
  return {
    follow: (accountId, follower) => {
      const account = byAccount.get(accountId) ?? { accountId, traders: [], sockets: [] }
      byAccount.set(accountId, account)
      if (follower.rank === "trader") account.traders = [...account.traders, follower]
      else account.sockets = [...account.sockets, follower]
      return () => unfollow(account, follower)
    },
    followMarket: (symbol, follower) => {
      const others = byMarket.get(symbol)
      if (others === undefined) byMarket.set(symbol, new Set([follower]))
      else others.add(follower)
      return () => unfollowMarket(symbol, follower)
    },
    tell: (batch, at) => {
      const event = batch.events[at]!
      if (event._tag === "Traded") return tellOutcome(tellers, event, batch, at)
      const accountId = accountIdOf(event)
      if (accountId === undefined) tellMarket(tellers, event, batch)
      else {
        const account = tellers.accountOf(accountId)
        tellers.tell(account, "traders", event, batch)
        tellers.tell(account, "sockets", event, batch)
      }
      return at
    }
  }
}

interface Tellers {
  /** Undefined where the account has no followers. */
  readonly accountOf: (accountId: AccountId) => Account | undefined
  readonly tell: (account: Account | undefined, rank: "traders" | "sockets", event: MarketEvent, batch: Batch) => void
  readonly tellFilled: (account: Account | undefined, event: Traded, order: Order, batch: Batch) => void
  readonly tellMarket: (symbol: MarketSymbol, event: MarketEvent, batch: Batch) => void
}

/**
 * Traders receive the events as they are recorded. Sockets then receive all trades, each order as the outcome left it, and the
 * other events. In each step those of the taker come before those of the maker.
 */
const tellOutcome = (tellers: Tellers, trade: Traded, batch: Batch, first: number): number => {
  const { accountOf, tell, tellFilled } = tellers
  const { cut, last, taker } = Outcome.from(batch.events, first, trade)
  const own = accountOf(taker.accountId)
  const trades: Array<{ readonly event: Traded; readonly maker: Account | undefined }> = []
  const others: Array<{ readonly event: MarketEvent; readonly account: Account | undefined }> = []
  for (let at = first; at <= last; at++) {
    const event = batch.events[at]!
    if (event._tag === "Traded") {
      const maker = accountOf(event.maker.order.accountId)
      trades.push({ event, maker })
      tell(own, "traders", event, batch)
      tell(maker, "traders", event, batch)
      tellOwners(tellers, event, batch)
    } else {
      const account = accountOf(accountIdOf(event)!)
      others.push({ event, account })
      tell(account, "traders", event, batch)
    }
  }
  for (const { event, maker } of trades) {
    tell(own, "sockets", event, batch)
    tell(maker, "sockets", event, batch)
  }
  for (const { event, maker } of trades) {
    tellFilled(own, event, taker, batch)
    tellFilled(maker, event, Outcome.left(cut, event.maker.order), batch)
  }
  for (const { account, event } of others) tell(account, "sockets", event, batch)
  return last
}

/** Returns the account that an event concerns; undefined for a trade, which concerns two, and for events of a whole market. */
const accountIdOf = (event: MarketEvent): AccountId | undefined => {
  switch (event._tag) {
    case "Accepted":
    case "Ended":
    case "Modified":
    case "StopPlaced":
    case "Triggered":
      return event.order.accountId
    case "Refused":
    case "Done":
    case "TakeoverOpened":
    case "TakeoverClosed":
      return event.accountId
    case "TwapOpened":
    case "TwapAdvanced":
    case "TwapClosed":
      return event.twap.accountId
    default:
      return undefined
  }
}

/** Sends the events that concern every position of a market. */
const tellMarket = (tellers: Tellers, event: MarketEvent, batch: Batch): void => {
  switch (event._tag) {
    case "Funded":
    case "DividendPaid":
    case "ContractSplit":
    case "LimitsSet":
      return tellers.tellMarket(batch.instrument.symbol, event, batch)
    default:
  }
}

/** A trader is told of a trade once: not again where it traded itself, nor for the second of two fills. */
const tellOwners = ({ accountOf, tell }: Tellers, event: Traded, batch: Batch): void => {
  const told = [event.taker.order.userId, event.maker.order.userId]
  for (const { reward } of [event.taker, event.maker]) {
    if (reward === null || told.includes(reward.ownerId)) continue
    told.push(reward.ownerId)
    tell(accountOf(primaryAccountOf(reward.ownerId)), "traders", event, batch)
  }
}
