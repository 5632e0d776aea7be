/**
 * Who is told of what happens to an account, and of what concerns every position of a market: the traders and sockets of
 * this node that follow it.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { Result } from "effect"
import type { Batch } from "../clients/LocalEntities.ts"
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

/** `report` hears of a follower that threw. That costs nobody else anything, neither the others nor the market. */
export const make = (
  report: (followed: AccountId | MarketSymbol, follower: Follower, cause: unknown) => void
): Followers => {
  /** A list is replaced, never changed, so that a follower may leave while its list is being told. */
  const byAccount = new Map<AccountId, ReadonlyArray<Follower>>()
  /** A market has as many followers as traders that joined it, so they are a set, of which one may leave at any time. */
  const byMarket = new Map<MarketSymbol, Set<Follower>>()

  const unfollow = (accountId: AccountId, follower: Follower) => {
    const others = (byAccount.get(accountId) ?? []).filter((other) => other !== follower)
    if (others.length === 0) byAccount.delete(accountId)
    else byAccount.set(accountId, others)
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
  const tellAccount: Tellers["tellAccount"] = (accountId, event, batch, rank) => {
    for (const follower of byAccount.get(accountId) ?? []) {
      if (rank !== undefined && follower.rank !== rank) continue
      if (receives(accountId, follower, () => follower.observe(event, batch))) continue
      unfollow(accountId, follower)
      follower.broken()
    }
  }
  const tellFilled: Tellers["tellFilled"] = (event, order, batch) => {
    const { accountId } = order
    for (const follower of byAccount.get(accountId) ?? []) {
      const { filled } = follower
      if (filled === undefined || receives(accountId, follower, () => filled(event, order, batch))) continue
      unfollow(accountId, follower)
      follower.broken()
    }
  }
  const tellMarket: Tellers["tellMarket"] = (symbol, event, batch) => {
    for (const follower of byMarket.get(symbol) ?? []) {
      if (receives(symbol, follower, () => follower.observe(event, batch))) continue
      unfollowMarket(symbol, follower)
      follower.broken()
    }
  }
  const tellers: Tellers = { tellAccount, tellFilled, tellMarket }
  return {
    follow: (accountId, follower) => {
      const others = byAccount.get(accountId) ?? []
      byAccount.set(accountId, follower.rank === "trader" ? [follower, ...others] : [...others, follower])
      return () => unfollow(accountId, follower)
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
      tell(tellers, event, batch)
      return at
    }
  }
}

interface Tellers {
  readonly tellAccount: (accountId: AccountId, event: MarketEvent, batch: Batch, rank?: Follower["rank"]) => void
  readonly tellFilled: (event: Traded, order: Order, batch: Batch) => void
  readonly tellMarket: (symbol: MarketSymbol, event: MarketEvent, batch: Batch) => void
}

/**
 * Traders receive the events as they are recorded. Sockets then receive all trades, each order as the outcome left it, and the
 * other events. In each step those of the taker come before those of the maker.
 */
const tellOutcome = (tellers: Tellers, trade: Traded, batch: Batch, first: number): number => {
  const { events } = batch
  const { cut, last, taker } = Outcome.from(events, first, trade)
  for (let at = first; at <= last; at++) {
    const event = events[at]!
    tell(tellers, event, batch, "trader")
    if (event._tag === "Traded") tellOwners(tellers, event, batch)
  }
  for (let at = first; at <= last; at++) if (events[at]!._tag === "Traded") tell(tellers, events[at]!, batch, "socket")
  for (let at = first; at <= last; at++) {
    const event = events[at]!
    if (event._tag !== "Traded") continue
    tellers.tellFilled(event, taker, batch)
    tellers.tellFilled(event, Outcome.left(cut, event.maker.order), batch)
  }
  for (let at = first; at < last; at++) if (events[at]!._tag !== "Traded") tell(tellers, events[at]!, batch, "socket")
  return last
}

const tell = (
  { tellAccount, tellMarket }: Tellers,
  event: MarketEvent,
  batch: Batch,
  rank?: Follower["rank"]
): void => {
  switch (event._tag) {
    case "Traded":
      tellAccount(event.taker.order.accountId, event, batch, rank)
      return tellAccount(event.maker.order.accountId, event, batch, rank)
    case "Accepted":
    case "Ended":
    case "Modified":
    case "StopPlaced":
    case "Triggered":
      return tellAccount(event.order.accountId, event, batch, rank)
    case "Refused":
    case "Done":
    case "TakeoverOpened":
    case "TakeoverClosed":
      return tellAccount(event.accountId, event, batch)
    case "TwapOpened":
    case "TwapAdvanced":
    case "TwapClosed":
      return tellAccount(event.twap.accountId, event, batch)
    case "Funded":
    case "DividendPaid":
    case "ContractSplit":
    case "LimitsSet":
      return tellMarket(batch.instrument.symbol, event, batch)
    default:
  }
}

/** A trader is told of a trade once: not again where it traded itself, nor for the second of two fills. */
const tellOwners = ({ tellAccount }: Tellers, event: Traded, batch: Batch): void => {
  const told = [event.taker.order.userId, event.maker.order.userId]
  for (const { reward } of [event.taker, event.maker]) {
    if (reward === null || told.includes(reward.ownerId)) continue
    told.push(reward.ownerId)
    tellAccount(primaryAccountOf(reward.ownerId), event, batch, "trader")
  }
}
