/**
 * Sets the fee tiers of a desk's traders (rule 11.5). Each trader's journal records a tier once a day, when the
 * volume tables contain the whole previous UTC day. Orders do not wait; until then the previous tier applies.
 */
import { dayMillis, dayOf } from "@venue/domain/Day"
import { effectiveVolume, firstTier, volumeDays } from "@venue/domain/Fee"
import type { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import * as DailyVolumes from "@venue/storage/history/DailyVolumes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect, Latch, Result } from "effect"
import { VenueSettings } from "../../../VenueSettings.ts"
import * as TableWriter from "../../../tables/TableWriter.ts"
import * as PassedMidnight from "../../../tables/PassedMidnight.ts"
import type { Trader } from "../traders/Trader.ts"
import type { Traders } from "../traders/Traders.ts"

/** Maximum number of traders whose volumes one statement reads. */
const maxGroup = 256

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const clock = yield* Clock.Clock
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings
  const more = yield* Latch.make(false)
  const due = new Set<UserId>()
  /** Traders that are due or finished for the day. */
  const seen = new Set<UserId>()
  let day = 0
  let markets = yield* PassedMidnight.make(DailyVolumes.projection, day)

  const notice = (trader: Trader) => {
    if (seen.has(trader.userId)) return
    seen.add(trader.userId)
    if (!mayChange(trader, day)) return
    due.add(trader.userId)
    more.openUnsafe()
  }
  const begin = Effect.fnUntraced(function* (next: number) {
    day = next
    markets = yield* PassedMidnight.make(DailyVolumes.projection, day)
    due.clear()
    seen.clear()
    for (const trader of traders.all()) notice(trader)
  })

  const volumesOf = Effect.fnUntraced(function* (userIds: ReadonlyArray<UserId>) {
    const sums = yield* tables.read(DailyVolumes.ofUsers(userIds, day - volumeDays, day))
    const volumes = new Map<UserId, bigint>()
    for (const { symbol, userId, volume } of sums) {
      const instrument = instruments.get(symbol)
      if (instrument === undefined) continue
      volumes.set(userId, (volumes.get(userId) ?? 0n) + effectiveVolume(instrument, volume))
    }
    return volumes
  })
  /**
   * Sets a trader's tier and returns when it is recorded. A trader that is dropped in between becomes due again when
   * it is reloaded.
   */
  const set = (userId: UserId, volume: bigint) =>
    Effect.callback<void>((resume) => {
      const trader = traders.get(userId)
      if (trader === undefined) seen.delete(userId)
      const isIdle = volume === 0n && trader?.ledger.tier === firstTier
      if (trader === undefined || isIdle) return resume(Effect.void)
      trader.change({ _tag: "SetTier", day, effectiveVolume: volume }, (result) => {
        if (Result.isFailure(result)) seen.delete(userId)
        resume(Effect.void)
      })
    })
  /**
   * Sets the tiers of one group of traders whose markets have all passed midnight. Returns false if there is no such
   * trader.
   */
  const setSome = Effect.gen(function* () {
    const passed = yield* markets.passed
    const group: Array<UserId> = []
    for (const userId of due) {
      const trader = traders.get(userId)
      if (trader === undefined || [...Ledger.symbols(trader.ledger)].every(passed)) group.push(userId)
      if (group.length === maxGroup) break
    }
    if (group.length === 0) return false
    const volumes = yield* volumesOf(group)
    for (const userId of group) due.delete(userId)
    yield* Effect.forEach(group, (userId) => set(userId, volumes.get(userId) ?? 0n), {
      discard: true,
      concurrency: "unbounded"
    })
    return true
  })

  const loop = Effect.gen(function* () {
    while (true) {
      yield* more.close
      const atMillis = clock.currentTimeMillisUnsafe() - PassedMidnight.afterMillis
      const today = dayOf(atMillis)
      if (today > day) yield* begin(today)
      if (due.size === 0) {
        yield* Effect.raceFirst(more.await, Effect.sleep((today + 1) * dayMillis - atMillis))
      } else if (!(yield* setSome)) yield* Effect.sleep(retryInterval)
    }
  })
  traders.watch(notice)
  yield* Effect.forkScoped(TableWriter.persist("fee tiers", loop))
})

/** Retry interval while the volume tables are behind. */
const retryInterval = "1 second"

/**
 * Whether the tier might change on that day: it is not set yet, and the trader has joined a market or has a tier
 * other than the first.
 */
const mayChange = ({ ledger }: Trader, day: number): boolean =>
  ledger.tierDay < day && (ledger.joined.size > 0 || ledger.tier !== firstTier)
