/** The traders a desk holds: woken when asked, in groups, and dropped when their journal has another owner. */
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { Clock, Effect, Schedule } from "effect"
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
  readonly wake: (userId: UserId) => Effect.Effect<Trader.Trader, Unavailable>
  /** Starts waking a trader for whoever asks next. */
  readonly startToWake: (userId: UserId) => void
  /** Claims these behind all that are asked for. */
  readonly name: (userIds: Iterable<UserId>) => void
  /** So many of those that were named are not here yet. */
  readonly named: () => number
  /** Waits until each that was named has been claimed, or could not be. */
  readonly caughtUp: Effect.Effect<void>
  /** An entry says that the tables lack rows of theirs. */
  readonly unprojected: (userIds: Iterable<UserId>) => void
  /** Discards a trader's memory and loads it again. */
  readonly drop: (userId: UserId) => void
  /** Wakes a trader, again and again until it is here or the desk is no longer ours. */
  readonly keep: (userId: UserId) => void
  readonly all: () => Iterable<Trader.Trader>
  /** Told of each trader that comes, and whenever its journal has a new row. */
  readonly watch: (observe: (trader: Trader.Trader) => void) => void
  /** Told whenever a position, money or a TWAP of a trader is another, or a market of it has become live. */
  readonly watchMoves: (observe: (trader: Trader.Trader) => void) => void
  /** 0, or the milliseconds to wait until the user may send this. */
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

  const tell = (told: typeof observers, userId: UserId) => {
    const trader = traders.get(userId)
    if (trader !== undefined) for (const observe of told) observe(trader)
  }
  const changed = (userId: UserId, seq: number) => {
    projection.recorded(userId, seq)
    tell(observers, userId)
  }
  const around: Trader.Surroundings = {
    journal: yield* Journal,
    feed: yield* Feed,
    markets: yield* MarketClient,
    views: yield* Views.make,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    dropped: (trader) => {
      if (traders.get(trader.userId) === trader) drop(trader.userId)
    },
    recorded: changed,
    moved: (userId) => tell(moveObservers, userId)
  }
  const claims = yield* TraderClaims.make(owned, (userId, ledger, from, writtenSeq) => {
    const isUnprojected = unprojected.delete(userId)
    const owned = { userId, desk: deskOf(userId, desks), from, writtenSeq, isUnprojected }
    traders.set(userId, Trader.make(owned, ledger, around))
    if (writtenSeq > 0) projection.claimed(userId, writtenSeq)
    tell(observers, userId)
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

  /** It may be armed, and its gateway gone: then nobody else will ask for it. */
  const drop = (userId: UserId) => {
    const trader = traders.get(userId)
    traders.delete(userId)
    trader?.leave()
    keep(userId)
  }

  return {
    get: (userId) => traders.get(userId),
    wake,
    drop,
    keep,
    name: sleepers.name,
    named: sleepers.named,
    caughtUp: sleepers.caughtUp,
    unprojected: (userIds) => {
      for (const userId of userIds) unprojected.add(userId)
    },
    startToWake: (userId) => {
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
  } satisfies Traders as Traders
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
