/** The traders a desk holds: woken when asked, in groups, and dropped when their journal has another owner. */
import { traderStream } from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { Journal, NotOwner, type Replay } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Cause, Clock, Effect, Schedule } from "effect"
import { pack, unpack } from "msgpackr"
import { Feed } from "../../feed/Feed.ts"
import { MarketClient } from "../../clients/MarketClient.ts"
import { Unavailable } from "../../protocol/Market.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as LedgerEntries from "./LedgerEntries.ts"
import * as MessageRate from "./MessageRate.ts"
import * as Seat from "./Seat.ts"

/** Traders claimed by one pair of statements. */
const maxGroup = 256
/** A trader that had to replay more than this is saved. */
const snapshotRows = 1_000

export interface Seats {
  readonly get: (userId: string) => Seat.Seat | undefined
  readonly wake: (userId: string) => Effect.Effect<Seat.Seat, Unavailable>
  /** Starts waking a trader for whoever asks next. */
  readonly rouse: (userId: string) => void
  /** Discards a trader's memory and loads it again. */
  readonly drop: (userId: string) => void
  /** Wakes a trader, again and again until it is here or the desk is no longer ours. */
  readonly keep: (userId: string) => void
  readonly all: () => Iterable<Seat.Seat>
  /** Told of each trader that comes, and whenever its journal has a new row. */
  readonly watch: (observe: (seat: Seat.Seat) => void) => void
  /** 0, or the milliseconds to wait until the user may send this. */
  readonly spend: MessageRate.SpendOf
}

export const make = Effect.fnUntraced(function* (owned: Effect.Effect<boolean>) {
  const journal = yield* Journal
  const feed = yield* Feed
  const markets = yield* MarketClient
  const clock = yield* Clock.Clock
  const venue = yield* VenueSettings
  const scope = yield* Effect.scope
  const entries = yield* LedgerEntries.make
  const runIn = Effect.runForkWith(yield* Effect.context<never>())
  const run = (effect: Effect.Effect<void>) => void runIn(Effect.forkIn(effect, scope))
  const seats = new Map<string, Seat.Seat>()
  /** Who asked for traders that are not here yet. */
  let asleep = new Map<string, Array<(seat: Seat.Seat | undefined) => void>>()
  let waking = false
  const observers: Array<(seat: Seat.Seat) => void> = []
  const changed = (userId: string) => {
    entries.recorded(userId)
    const seat = seats.get(userId)
    if (seat !== undefined) for (const observe of observers) observe(seat)
  }
  const settings = { ...Ledger.defaults, maxOpenOrdersPerAccount: venue.maxOpenOrdersPerAccount }

  const around: Seat.Surroundings = {
    journal,
    feed,
    markets,
    run,
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    dropped: (seat) => {
      if (seats.get(seat.userId) === seat) drop(seat.userId)
    },
    recorded: changed
  }
  const newTrader = (userId: string) => Ledger.make(userId, venue.instruments, feed.prices, settings)

  const claim = Effect.fnUntraced(function* (userIds: ReadonlyArray<string>) {
    const traders = new Map(userIds.map((userId) => [traderStream(userId), { userId, trader: newTrader(userId) }]))
    const savedSeq = new Map<string, number>()
    const into = (stream: string): Replay => {
      const { trader } = traders.get(stream)!
      return {
        restore: (state, seq) => {
          Ledger.restore(trader, unpack(state))
          savedSeq.set(stream, seq)
          return true
        },
        replay: (row) => {
          if (row.events.length > 0) for (const event of TraderRecord.decode(row.events)) Ledger.apply(trader, event)
        }
      }
    }
    // A desk that was fenced and does not know it yet would otherwise fence the new owner in turn.
    if (!(yield* owned)) return yield* new NotOwner({ stream: traderStream(userIds[0]!) })
    const claimed = yield* journal.claimMany([...traders.keys()], into, owned)
    for (const [stream, from] of claimed) {
      const { trader, userId } = traders.get(stream)!
      if (from.seq - (savedSeq.get(stream) ?? 0) > snapshotRows) {
        yield* journal.saveSnapshot(stream, from.seq, [pack(Ledger.snapshot(trader))])
      }
      seats.set(userId, Seat.make(userId, trader, from, around))
      changed(userId)
    }
  })

  /** A journal that cannot be read keeps only its own trader out. */
  const load = (userIds: ReadonlyArray<string>): Effect.Effect<void> =>
    userIds.length === 0
      ? Effect.void
      : Effect.catchCause(claim(userIds), (cause) =>
          Cause.hasDies(cause) && userIds.length > 1
            ? Effect.forEach(userIds, (userId) => load([userId]), { discard: true })
            : DatabaseOutage.report(cause, Effect.logWarning("traders could not be loaded", userIds.length, cause))
        )

  const wakeAll: Effect.Effect<void> = Effect.gen(function* () {
    while (asleep.size > 0) {
      const group = [...asleep].slice(0, maxGroup)
      asleep = new Map([...asleep].slice(maxGroup))
      // Who was asked for again while being claimed is here by now; a second claim would fence the first.
      yield* load(group.flatMap(([userId]) => (seats.has(userId) ? [] : [userId])))
      for (const [userId, asked] of group) for (const tell of asked) tell(seats.get(userId))
    }
    waking = false
  })

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const seat of seats.values()) seat.leave()
      seats.clear()
    })
  )

  const ask = (userId: string, tell: (seat: Seat.Seat | undefined) => void) => {
    const asked = asleep.get(userId)
    if (asked === undefined) asleep.set(userId, [tell])
    else asked.push(tell)
    if (waking) return
    waking = true
    run(Effect.andThen(Effect.yieldNow, wakeAll))
  }

  const wake = (userId: string) =>
    Effect.callback<Seat.Seat, Unavailable>((resume) => {
      const here = seats.get(userId)
      if (here !== undefined) return resume(Effect.succeed(here))
      ask(userId, (seat) =>
        resume(seat === undefined ? Effect.fail(new Unavailable({ what: `user ${userId}` })) : Effect.succeed(seat))
      )
    })
  const keep = (userId: string) =>
    run(Effect.ignore(Effect.retry(wake(userId), { schedule: Schedule.spaced("500 millis"), while: () => owned })))

  /** It may be armed, and its gateway gone: then nobody else will ask for it. */
  const drop = (userId: string) => {
    const seat = seats.get(userId)
    seats.delete(userId)
    seat?.leave()
    keep(userId)
  }

  return {
    get: (userId) => seats.get(userId),
    wake,
    drop,
    keep,
    rouse: (userId) => {
      if (!asleep.has(userId)) ask(userId, () => {})
    },
    all: () => seats.values(),
    watch: (observe) => {
      observers.push(observe)
    },
    spend: venue.rateLimits ? MessageRate.ofUsers() : () => 0
  } satisfies Seats as Seats
})
