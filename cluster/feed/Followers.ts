/** Delivers market events to the traders and sockets of this node that follow an account or a market. */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { Result } from "effect"
import type { Batch } from "./Batch.ts"
import * as Outcome from "./Outcome.ts"

export interface Follower {
  /** Traders receive an event before sockets, so that a client that reads after a push sees the same state. */
  readonly rank: "trader" | "socket"
  /**
   * Called for each event of the followed account or market. Traders receive events in log order. Sockets receive all
   * of a taker order's trades before its other events.
   */
  readonly observe: (event: MarketEvent, batch: Batch) => void
  /** Called for each trade after a taker order's last trade, with the follower's order in its final state. */
  readonly filled?: (event: Traded, order: Order, batch: Batch) => void
  /** Called after the follower threw. It receives no further events, because its state might be wrong. */
  readonly broken: () => void
}

export interface Followers {
  /** Follows an account. Returns a function that stops following. */
  readonly follow: (accountId: AccountId, follower: Follower) => () => void
  /** Follows a market's events that concern every position, such as funding. Returns a stop function. */
  readonly followMarket: (symbol: MarketSymbol, follower: Follower) => () => void
  /**
   * Passes the event at this index to the followers of its account or market. If it is a trade, passes all events of
   * the same taker order. Returns the index of the last event passed.
   */
  readonly deliver: (batch: Batch, at: number) => number
}

/** Followers of one account. Each change replaces the list, so that a follower can leave during an iteration. */
interface Account {
  readonly accountId: AccountId
  traders: ReadonlyArray<Follower>
  sockets: ReadonlyArray<Follower>
}

/** `report` receives each follower that threw; the others still receive the event. */
export const make = (
  report: (followed: AccountId | MarketSymbol, follower: Follower, cause: unknown) => void
): Followers => {
  const byAccount = new Map<AccountId, Account>()
  /**
   * Stored in sets, because a market can have thousands of followers, and a list would be copied whenever a follower
   * leaves.
   */
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
  /** Returns false if the follower threw, which is also reported. */
  const receives = (followed: AccountId | MarketSymbol, follower: Follower, receive: () => void): boolean => {
    const received = Result.try(receive)
    if (Result.isSuccess(received)) return true
    report(followed, follower, received.failure)
    return false
  }
  const delivery: Delivery = {
    accountOf: (accountId) => byAccount.get(accountId),
    toAccount: (account, rank, event, batch) => {
      if (account === undefined) return
      for (const follower of account[rank]) {
        if (receives(account.accountId, follower, () => follower.observe(event, batch))) continue
        unfollow(account, follower)
        follower.broken()
      }
    },
    fill: (account, event, order, batch) => {
      if (account === undefined) return
      for (const follower of account.sockets) {
        if (receives(account.accountId, follower, () => follower.filled?.(event, order, batch))) continue
        unfollow(account, follower)
        follower.broken()
      }
    },
    toMarket: (symbol, event, batch) => {
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
    deliver: (batch, at) => {
      const event = batch.events[at]!
      if (event._tag === "Traded") return deliverOutcome(delivery, event, batch, at)
      const accountId = accountIdOf(event)
      if (accountId === undefined) deliverToMarket(delivery, event, batch)
      else {
        const account = delivery.accountOf(accountId)
        delivery.toAccount(account, "traders", event, batch)
        delivery.toAccount(account, "sockets", event, batch)
      }
      return at
    }
  }
}

/** Passes one event to the followers of an account or a market. */
interface Delivery {
  /** Returns undefined for an account without followers. */
  readonly accountOf: (accountId: AccountId) => Account | undefined
  readonly toAccount: (
    account: Account | undefined,
    rank: "traders" | "sockets",
    event: MarketEvent,
    batch: Batch
  ) => void
  readonly fill: (account: Account | undefined, event: Traded, order: Order, batch: Batch) => void
  readonly toMarket: (symbol: MarketSymbol, event: MarketEvent, batch: Batch) => void
}

/**
 * Traders receive the events as recorded. Sockets then receive all trades, each with the order in its final state,
 * and after them the other events. In each group, the taker's events come before the maker's.
 */
const deliverOutcome = (delivery: Delivery, trade: Traded, batch: Batch, first: number): number => {
  const { accountOf, fill, toAccount } = delivery
  const { cut, last, taker } = Outcome.from(batch.events, first, trade)
  const own = accountOf(taker.accountId)
  const trades: Array<{ readonly event: Traded; readonly maker: Account | undefined }> = []
  const others: Array<{ readonly event: MarketEvent; readonly account: Account | undefined }> = []
  for (let at = first; at <= last; at++) {
    const event = batch.events[at]!
    if (event._tag === "Traded") {
      const maker = accountOf(event.maker.order.accountId)
      trades.push({ event, maker })
      toAccount(own, "traders", event, batch)
      toAccount(maker, "traders", event, batch)
      deliverToBuilders(delivery, event, batch)
    } else {
      const account = accountOf(accountIdOf(event)!)
      others.push({ event, account })
      toAccount(account, "traders", event, batch)
    }
  }
  for (const { event, maker } of trades) {
    toAccount(own, "sockets", event, batch)
    toAccount(maker, "sockets", event, batch)
  }
  for (const { event, maker } of trades) {
    fill(own, event, taker, batch)
    fill(maker, event, Outcome.left(cut, event.maker.order), batch)
  }
  for (const { account, event } of others) toAccount(account, "sockets", event, batch)
  return last
}

/** Returns the account that an event concerns; undefined for a trade (which has two) and a market-wide event. */
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
const deliverToMarket = (delivery: Delivery, event: MarketEvent, batch: Batch): void => {
  switch (event._tag) {
    case "Funded":
    case "DividendPaid":
    case "ContractSplit":
    case "LimitsSet":
      return delivery.toMarket(batch.instrument.symbol, event, batch)
    default:
  }
}

/** Delivers a trade once to each owner of its builder codes, except owners that are party to the trade. */
const deliverToBuilders = ({ accountOf, toAccount }: Delivery, event: Traded, batch: Batch): void => {
  const receivers = [event.taker.order.userId, event.maker.order.userId]
  for (const { reward } of [event.taker, event.maker]) {
    if (reward === null || receivers.includes(reward.ownerId)) continue
    receivers.push(reward.ownerId)
    toAccount(accountOf(primaryAccountOf(reward.ownerId)), "traders", event, batch)
  }
}
