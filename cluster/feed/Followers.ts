/** Who is told of what happens to an account: the traders and sockets of this node that follow it. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { Result } from "effect"
import type { Batch } from "../clients/LocalEntities.ts"

export interface Follower {
  /** Traders come before sockets: who is told of an order can read it. */
  readonly rank: "trader" | "socket"
  /** Called for each event that concerns the account, in the order of the log. */
  readonly observe: (event: MarketEvent, batch: Batch) => void
  /** It threw, so it is told nothing more: it no longer knows what is true. */
  readonly broken: () => void
}

export interface Followers {
  /** Returns how to stop. */
  readonly follow: (accountId: AccountId, follower: Follower) => () => void
  /** Tells the followers of its accounts; those of its taker before those of its maker. */
  readonly tell: (event: MarketEvent, batch: Batch) => void
}

/** `report` hears of a follower that threw. That costs nobody else anything, neither the others nor the market. */
export const make = (report: (accountId: AccountId, follower: Follower, cause: unknown) => void): Followers => {
  /** A list is replaced, never changed, so that a follower may leave while its list is being told. */
  const followers = new Map<AccountId, ReadonlyArray<Follower>>()

  const unfollow = (accountId: AccountId, follower: Follower) => {
    const others = (followers.get(accountId) ?? []).filter((other) => other !== follower)
    if (others.length === 0) followers.delete(accountId)
    else followers.set(accountId, others)
  }
  const tellAccount = (accountId: AccountId, event: MarketEvent, batch: Batch) => {
    for (const follower of followers.get(accountId) ?? []) {
      const told = Result.try(() => follower.observe(event, batch))
      if (Result.isSuccess(told)) continue
      report(accountId, follower, told.failure)
      unfollow(accountId, follower)
      follower.broken()
    }
  }

  return {
    follow: (accountId, follower) => {
      const others = followers.get(accountId) ?? []
      followers.set(accountId, follower.rank === "trader" ? [follower, ...others] : [...others, follower])
      return () => unfollow(accountId, follower)
    },
    tell: (event, batch) => {
      switch (event._tag) {
        case "Traded":
          tellAccount(event.taker.order.accountId, event, batch)
          return tellAccount(event.maker.order.accountId, event, batch)
        case "Accepted":
        case "Ended":
        case "Modified":
          return tellAccount(event.order.accountId, event, batch)
        case "Refused":
        case "Done":
          return tellAccount(event.accountId, event, batch)
        default:
      }
    }
  }
}
