/** A desk's loaded traders, loaded on demand in groups, and dropped when another owner claims their journal. */
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { Clock, Effect, Schedule, identity } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import { MarketClient } from "../../../clients/MarketClient.ts"
import { deskOf } from "../../../protocol/Desk.ts"
import { Unavailable } from "../../../protocol/Market.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as MessageRate from "../orders/MessageRate.ts"
import * as Projection from "./Projection.ts"
import * as Trader from "./Trader.ts"
import * as Sleepers from "./Sleepers.ts"
import * as TraderClaims from "./TraderClaims.ts"
import * as Views from "../markets/Views.ts"

export interface Traders {
  readonly get: (userId: UserId) => Trader.Trader | undefined
  /** Returns a trader, after loading it if necessary. */
  readonly wake: (userId: UserId) => Effect.Effect<Trader.Trader, Unavailable>
  /** Starts to load a trader without waiting for it. */
  readonly startWaking: (userId: UserId) => void
  /** Queues traders to be loaded after those with a caller. */
  readonly enqueue: (userIds: Iterable<UserId>) => void
  /** Returns the number of traders whose committed rows are not in the tables for queries yet. */
  readonly unwrittenCount: () => number
  /** Returns the number of queued traders that are not loaded yet. */
  readonly pendingCount: () => number
  /** Waits until every queued trader has been claimed or has failed. */
  readonly caughtUp: Effect.Effect<void>
  /** Adds traders whose wake-up entry states that the tables for queries lack rows. */
  readonly unprojected: (userIds: Iterable<UserId>) => void
  /** Discards a trader's state and reloads it. */
  readonly drop: (userId: UserId) => void
  /** Loads a trader, with retries until it is loaded or the desk's shard has moved. */
  readonly keep: (userId: UserId) => void
  readonly all: () => Iterable<Trader.Trader>
  /** Calls the observer for each loaded trader and after each row of its journal. */
  readonly watch: (observe: (trader: Trader.Trader) => void) => void
  /** Calls the observer when a trader's position, cash or TWAP has changed, or a joined market has become live. */
  readonly watchMoves: (observe: (trader: Trader.Trader) => void) => void
  /** Charges a message to the user. Returns 0, or the milliseconds to wait. */
  readonly spend: MessageRate.SpendOf
}

export const make = Effect.fnUntraced(function* (owned: Effect.Effect<boolean>) {
  const clock = yield* Clock.Clock
  const { desks, rateLimits } = yield* VenueSettings
  const scope = yield* Effect.scope
  const traders = new Map<UserId, Trader.Trader>()
  const projection = yield* Projection.make((userId, seq) => traders.get(userId)?.projected(seq) === true)
  const runIn = Effect.runForkWith(yield* Effect.context<never>())
  const run = (effect: Effect.Effect<void>) => void runIn(Effect.forkIn(effect, scope))
  const unprojected = new Set<UserId>()
  const observers: Array<(trader: Trader.Trader) => void> = []
  const moveObservers: Array<(trader: Trader.Trader) => void> = []

  const notify = (listeners: typeof observers, userId: UserId) => {
    const trader = traders.get(userId)
    if (trader !== undefined) for (const observe of listeners) observe(trader)
  }
  const changed = (userId: UserId, seq: number) => {
    projection.recorded(userId, seq)
    notify(observers, userId)
  }
  const dependencies: Trader.Dependencies = {
    journal: yield* Journal,
    feed: yield* Feed,
    markets: yield* MarketClient,
    views: yield* Views.make,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    dropped: (trader) => {
      if (traders.get(trader.userId) === trader) drop(trader.userId)
    },
    recorded: changed,
    moved: (userId) => notify(moveObservers, userId)
  }
  const claims = yield* TraderClaims.make(owned, (userId, ledger, from, writtenSeq) => {
    const isUnprojected = unprojected.delete(userId)
    const owned = { userId, desk: deskOf(userId, desks), from, writtenSeq, isUnprojected }
    traders.set(userId, Trader.make(owned, ledger, dependencies))
    if (writtenSeq > 0) projection.claimed(userId, writtenSeq)
    notify(observers, userId)
  })
  const keep = (userId: UserId): void =>
    run(Effect.ignore(Effect.retry(wake(userId), { schedule: Schedule.spaced("500 millis"), while: () => owned })))
  const sleepers = Sleepers.make(traders, claims.load, keep, run)
  const wake = wakeOf(traders, sleepers)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const trader of traders.values()) trader.leave()
      traders.clear()
    })
  )

  /**
   * Reloads the trader immediately. A gateway that no longer exists might have armed the trader, and then no other
   * request would load it.
   */
  const drop = (userId: UserId) => {
    const trader = traders.get(userId)
    traders.delete(userId)
    trader?.leave()
    keep(userId)
  }

  return identity<Traders>({
    get: (userId) => traders.get(userId),
    wake,
    drop,
    keep,
    enqueue: sleepers.enqueue,
    unwrittenCount: projection.size,
    pendingCount: sleepers.pendingCount,
    caughtUp: sleepers.caughtUp,
    unprojected: (userIds) => {
      for (const userId of userIds) unprojected.add(userId)
    },
    startWaking: (userId) => {
      if (!sleepers.isWaking(userId)) sleepers.wake(userId, () => {})
    },
    all: () => traders.values(),
    watch: (observe) => {
      observers.push(observe)
    },
    watchMoves: (observe) => {
      moveObservers.push(observe)
    },
    spend: rateLimits ? MessageRate.ofUsers() : () => 0
  })
})

const wakeOf =
  (traders: ReadonlyMap<UserId, Trader.Trader>, sleepers: Sleepers.Sleepers): Traders["wake"] =>
  (userId) =>
    Effect.callback((resume) => {
      const here = traders.get(userId)
      if (here !== undefined) return resume(Effect.succeed(here))
      sleepers.wake(userId, (trader) =>
        resume(trader === undefined ? Effect.fail(new Unavailable({ what: `user ${userId}` })) : Effect.succeed(trader))
      )
    })
