/**
 * Reads and changes one trader. Each call is charged to the user, and runs when the trader is loaded and its markets
 * are live.
 */
import type { AccountId } from "@venue/domain/AccountId"
import type { LedgerCommand, LedgerCommandOf, LedgerRefusal } from "@venue/domain/Trader"
import type { Balance } from "@venue/domain/Balance"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as Twaps from "@venue/ledger/Twaps"
import { Clock, Effect, Result, identity } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import { type AccountSummary, type Cost, type OpenOrders, RateLimited, type Read } from "../../../protocol/Desk.ts"
import { deadline } from "../../../clients/ClusterFault.ts"
import { Unavailable } from "../../../protocol/Market.ts"
import { awaitReached } from "./ReadBarrier.ts"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export interface TraderCalls {
  /** Charges the cost and returns 0, or charges nothing and returns the milliseconds to wait. */
  readonly spend: (userId: UserId, cost: Cost) => number
  /** Returns an account's summary, or undefined if it has to wait. */
  readonly summaryNow: (request: Read) => AccountSummary | undefined
  /** Reads the trader once it has applied the request's heads, or fails with `Unavailable` at the deadline. */
  readonly read: <A>(
    request: Read,
    get: (trader: Trader, accountId: AccountId) => A | undefined
  ) => Effect.Effect<A, Unavailable | RateLimited>
  /** Decides a command after `ready`, by default once every joined market is live. Returns on commit. */
  readonly change: <Tag extends LedgerCommand["_tag"], E = never>(
    userId: UserId,
    cost: Cost,
    command: LedgerCommandOf<Tag>,
    ready?: (trader: Trader) => Effect.Effect<void, Unavailable | E>
  ) => Effect.Effect<void, LedgerRefusal<Tag> | Unavailable | RateLimited | E>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const feed = yield* Feed
  const spend = (userId: UserId, cost: Cost) => traders.spend(userId, cost, clock.currentTimeMillisUnsafe())

  const awake = Effect.fnUntraced(function* (userId: UserId, cost: Cost) {
    const waitMillis = spend(userId, cost)
    if (waitMillis > 0) return yield* new RateLimited({ retryAfterMillis: waitMillis })
    return yield* traders.wake(userId)
  })

  return identity<TraderCalls>({
    spend,
    summaryNow: ({ accountId, cost, userId }) => {
      const trader = traders.get(userId)
      return trader?.isLive() === true && spend(userId, cost) === 0 ? summary(trader, accountId) : undefined
    },
    read: Effect.fnUntraced(function* ({ accountId, cost, heads = [], userId }, get) {
      const trader = yield* awake(userId, cost)
      yield* live(trader)
      yield* within(trader, awaitReached(feed, trader, heads))
      if (traders.get(userId) !== trader) return yield* gone(trader)
      const value = get(trader, accountId)
      return value === undefined ? yield* new Unavailable({ what: `account ${accountId}` }) : value
    }),
    change: Effect.fnUntraced(function* (userId, cost, command, ready = live) {
      const trader = yield* awake(userId, cost)
      yield* ready(trader)
      yield* changed(trader, command)
    })
  })
})

/** Returns the account's summary, or undefined if the user has no such account. */
export const summary = ({ ledger }: Trader, accountId: AccountId): AccountSummary | undefined => {
  const balance = Ledger.balance(ledger, accountId)
  return balance === undefined ? undefined : { balance, holdings: Ledger.holdings(ledger, accountId) }
}

export const balances = ({ ledger }: Trader): ReadonlyArray<Balance> =>
  Ledger.accountIds(ledger).map((accountId) => Ledger.balance(ledger, accountId)!)

/** Returns the account's open orders, or undefined if the user has no such account. */
export const openOrders = ({ ledger }: Trader, accountId: AccountId): OpenOrders | undefined =>
  ledger.accounts.has(accountId)
    ? { orders: Ledger.orders(ledger, accountId), twaps: Twaps.open(ledger, accountId) }
    : undefined

/** Waits until every joined market is live; fails with `Unavailable` after the caller's deadline. */
export const live = (trader: Trader) =>
  Effect.suspend(() =>
    trader.isLive()
      ? Effect.void
      : within(
          trader,
          Effect.callback<void, Unavailable>((resume) => {
            const stop = trader.whenLive((isLive) => resume(isLive ? Effect.void : Effect.fail(gone(trader))))
            return Effect.sync(stop)
          })
        )
  )

const within = <A, E>(trader: Trader, wait: Effect.Effect<A, E>) =>
  Effect.timeoutOrElse(wait, { duration: deadline, orElse: () => Effect.fail(gone(trader)) })

/** Decides a command immediately and returns once the decision is committed. */
export const changed = <Tag extends LedgerCommand["_tag"]>(trader: Trader, command: LedgerCommandOf<Tag>) =>
  Effect.callback<void, LedgerRefusal<Tag> | Unavailable>((resume) =>
    trader.change(command, (result) =>
      resume(
        Result.isSuccess(result) ? Effect.void : Effect.fail(result.failure === "lost" ? gone(trader) : result.failure)
      )
    )
  )

const gone = ({ userId }: Trader) => new Unavailable({ what: `user ${userId}` })
