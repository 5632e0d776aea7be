/** The traders a desk holds: woken when asked, in groups, and dropped when their journal has another owner. */
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { Clock, Effect, Schedule } from "effect"
import { Feed } from "../../feed/Feed.ts"
import { MarketClient } from "../../clients/MarketClient.ts"
import { Unavailable } from "../../protocol/Market.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as MessageRate from "./MessageRate.ts"
import * as Projection from "./Projection.ts"
import * as Trader from "./Trader.ts"
import * as TraderClaims from "./TraderClaims.ts"

export interface Traders {
  readonly get: (userId: UserId) => Trader.Trader | undefined
  readonly wake: (userId: UserId) => Effect.Effect<Trader.Trader, Unavailable>
  /** Starts waking a trader for whoever asks next. */
  readonly startToWake: (userId: UserId) => void
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
  const { rateLimits } = yield* VenueSettings
  const scope = yield* Effect.scope
  const projection = yield* Projection.make
  const runIn = Effect.runForkWith(yield* Effect.context<never>())
  const run = (effect: Effect.Effect<void>) => void runIn(Effect.forkIn(effect, scope))
  const traders = new Map<UserId, Trader.Trader>()
  const observers: Array<(trader: Trader.Trader) => void> = []
  const moveObservers: Array<(trader: Trader.Trader) => void> = []

  const tell = (told: typeof observers, userId: UserId) => {
    const trader = traders.get(userId)
    if (trader !== undefined) for (const observe of told) observe(trader)
  }
  const changed = (userId: UserId) => {
    projection.recorded(userId)
    tell(observers, userId)
  }
  const around: Trader.Surroundings = {
    journal: yield* Journal,
    feed: yield* Feed,
    markets: yield* MarketClient,
    run,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    dropped: (trader) => {
      if (traders.get(trader.userId) === trader) drop(trader.userId)
    },
    recorded: changed,
    moved: (userId) => tell(moveObservers, userId)
  }
  const claims = yield* TraderClaims.make(owned, (userId, ledger, from) => {
    traders.set(userId, Trader.make(userId, ledger, from, around))
    changed(userId)
  })
  const sleepers = makeSleepers(traders, claims.load, run)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const trader of traders.values()) trader.leave()
      traders.clear()
    })
  )

  const wake = (userId: UserId) =>
    Effect.callback<Trader.Trader, Unavailable>((resume) => {
      const here = traders.get(userId)
      if (here !== undefined) return resume(Effect.succeed(here))
      sleepers.wake(userId, (trader) =>
        resume(trader === undefined ? Effect.fail(new Unavailable({ what: `user ${userId}` })) : Effect.succeed(trader))
      )
    })
  const keep = (userId: UserId) =>
    run(Effect.ignore(Effect.retry(wake(userId), { schedule: Schedule.spaced("500 millis"), while: () => owned })))
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

/** Traders that are not here yet, and who asked for them. They are loaded group by group. */
const makeSleepers = (
  traders: ReadonlyMap<UserId, Trader.Trader>,
  load: TraderClaims.TraderClaims["load"],
  run: (effect: Effect.Effect<void>) => void
) => {
  let asleep = new Map<UserId, Array<(trader: Trader.Trader | undefined) => void>>()
  let isLoading = false

  const loadAll: Effect.Effect<void> = Effect.gen(function* () {
    while (asleep.size > 0) {
      const group = [...asleep].slice(0, maxGroup)
      asleep = new Map([...asleep].slice(maxGroup))
      // Who was asked for again while being claimed is here by now; a second claim would fence the first.
      yield* load(group.flatMap(([userId]) => (traders.has(userId) ? [] : [userId])))
      for (const [userId, asked] of group) for (const tell of asked) tell(traders.get(userId))
    }
    isLoading = false
  })

  return {
    isWaking: (userId: UserId) => asleep.has(userId),
    /** Calls back with the trader, or with undefined when it could not be loaded. */
    wake: (userId: UserId, tell: (trader: Trader.Trader | undefined) => void) => {
      const asked = asleep.get(userId)
      if (asked === undefined) asleep.set(userId, [tell])
      else asked.push(tell)
      if (isLoading) return
      isLoading = true
      run(Effect.andThen(Effect.yieldNow, loadAll))
    }
  }
}

/** Traders claimed by one pair of statements. */
const maxGroup = 256
