/**
 * Who is told of what happens to an account, and of what concerns every position of a market: the traders and sockets of
 * this node that follow it.
 */
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Result } from "effect"
import type { Batch } from "../clients/LocalEntities.ts"

export interface Follower {
  /** Traders come before sockets: who is told of an order can read it. */
  readonly rank: "trader" | "socket"
  /** Called for each event that concerns what is followed, in the order of the log. */
  readonly observe: (event: MarketEvent, batch: Batch) => void
  /** It threw, so it is told nothing more of this: it no longer knows what is true. */
  readonly broken: () => void
}

export interface Followers {
  /** Returns how to stop. */
  readonly follow: (accountId: AccountId, follower: Follower) => () => void
  /** Of a market only what concerns every position is told, once to each follower. Returns how to stop. */
  readonly followMarket: (symbol: MarketSymbol, follower: Follower) => () => void
  /**
   * Tells the followers of its accounts, those of its taker before those of its maker, then the traders who earn by it, or
   * those of its market.
   */
  readonly tell: (event: MarketEvent, batch: Batch) => void
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
  const hears = (followed: AccountId | MarketSymbol, follower: Follower, event: MarketEvent, batch: Batch): boolean => {
    const told = Result.try(() => follower.observe(event, batch))
    if (Result.isSuccess(told)) return true
    report(followed, follower, told.failure)
    return false
  }
  const tellAccount = (accountId: AccountId, event: MarketEvent, batch: Batch, rank?: Follower["rank"]) => {
    for (const follower of byAccount.get(accountId) ?? []) {
      if (rank !== undefined && follower.rank !== rank) continue
      if (hears(accountId, follower, event, batch)) continue
      unfollow(accountId, follower)
      follower.broken()
    }
  }
  const tellMarket = (symbol: MarketSymbol, event: MarketEvent, batch: Batch) => {
    for (const follower of byMarket.get(symbol) ?? []) {
      if (hears(symbol, follower, event, batch)) continue
      unfollowMarket(symbol, follower)
      follower.broken()
    }
  }
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
    tell: (event, batch) => tell({ tellAccount, tellMarket }, event, batch)
  }
}

interface Tellers {
  readonly tellAccount: (accountId: AccountId, event: MarketEvent, batch: Batch, rank?: Follower["rank"]) => void
  readonly tellMarket: (symbol: MarketSymbol, event: MarketEvent, batch: Batch) => void
}

const tell = (tellers: Tellers, event: MarketEvent, batch: Batch): void => {
  const { tellAccount, tellMarket } = tellers
  switch (event._tag) {
    case "Traded":
      tellAccount(event.taker.order.accountId, event, batch)
      tellAccount(event.maker.order.accountId, event, batch)
      return tellOwners(tellers, event, batch)
    case "Accepted":
    case "Ended":
    case "Modified":
    case "StopPlaced":
    case "Triggered":
      return tellAccount(event.order.accountId, event, batch)
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
