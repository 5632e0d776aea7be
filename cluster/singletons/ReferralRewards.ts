/**
 * Credits referral rewards once a day (rule 13.4). This is a stateless singleton: one node runs it for the whole
 * venue. A restart credits no day twice, because each trader's journal records the last credited day.
 */
import { dayMillis, dayOf } from "@venue/domain/Day"
import { rewardOf } from "@venue/domain/Referral"
import type { UserId } from "@venue/domain/UserId"
import { InvitationCodes, type Referral } from "@venue/storage/access/InvitationCodes"
import * as DailyFees from "@venue/storage/history/DailyFees"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as ReferralRewards from "@venue/storage/history/ReferralRewards"
import { Clock, Effect, type Layer, Schedule } from "effect"
import { Singleton, type Sharding } from "effect/cluster"
import { DeskClient } from "../clients/DeskClient.ts"
import * as PassedMidnight from "../tables/PassedMidnight.ts"
import * as TableWriter from "../tables/TableWriter.ts"
import type { Feed } from "../feed/Feed.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** Earliest time after midnight at which a day is credited. The tables for queries must also contain the whole day. */
const afterMidnightMillis = 5 * 60_000
/** Maximum referrers per query. Each referrer can have several referred users. */
const maxGroup = 64
const pollInterval = Schedule.spaced("1 second")

const run = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const credit = yield* makeCredit
  let day = 0
  const loop = Effect.gen(function* () {
    while (true) {
      const atMillis = clock.currentTimeMillisUnsafe() - afterMidnightMillis
      const today = dayOf(atMillis)
      if (today > day) {
        yield* credit(today)
        day = today
      } else yield* Effect.sleep((today + 1) * dayMillis - atMillis)
    }
  })
  yield* TableWriter.persist("referral rewards", loop)
})

export const layer: Layer.Layer<never, never, Sharding.Sharding | DeskClient | Feed | ReadTables | InvitationCodes> =
  Singleton.make("ReferralRewards", run)

/** Returns an effect that credits all uncredited days before `today`. */
const makeCredit = Effect.gen(function* () {
  const codes = yield* InvitationCodes
  const desks = yield* DeskClient
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings

  const creditSome = Effect.fnUntraced(function* (referrerIds: ReadonlyArray<UserId>, today: number) {
    const referrals = yield* codes.referredBy(referrerIds)
    const userIds = referrals.map(({ userId }) => userId)
    const credited = yield* tables.read(ReferralRewards.lastDays(referrerIds))
    const fromDay = Math.min(...referrerIds.map((userId) => (credited.get(userId) ?? -1) + 1))
    const days = yield* tables.read(DailyFees.ofUsers(userIds, fromDay, today))
    if (days.length === 0) return
    const before = yield* tables.read(DailyFees.volumesBefore(userIds, fromDay))
    for (const { amount, day, userId } of rewards(referrals, days, before)) {
      if (day <= (credited.get(userId) ?? -1)) continue
      yield* desks.ask(userId, (desk) => desk.CreditReferrals({ userId, day, amount }))
    }
  })
  return Effect.fnUntraced(function* (today: number) {
    const markets = yield* PassedMidnight.make(DailyFees.projection, today)
    const arePassed = Effect.map(markets.passed, (has) => [...instruments.keys()].every(has))
    yield* Effect.repeat(arePassed, { until: (all) => all, schedule: pollInterval })
    let referrers: ReadonlyArray<UserId> = []
    do {
      referrers = yield* codes.referrers(referrers.at(-1) ?? "", maxGroup)
      if (referrers.length > 0) yield* creditSome(referrers, today)
    } while (referrers.length === maxGroup)
  })
})

/** Returns rewards by referrer and day, oldest first. A referred user's earlier volume counts towards the cap. */
const rewards = (
  referrals: ReadonlyArray<Referral>,
  days: ReadonlyArray<DailyFees.DailyFee>,
  before: ReadonlyArray<DailyFees.Volume>
): ReadonlyArray<{ readonly userId: UserId; readonly day: number; readonly amount: bigint }> => {
  const referrerOf = new Map(referrals.map(({ referrerId, userId }) => [userId, referrerId]))
  const volumes = new Map(before.map(({ userId, volume }) => [userId, volume]))
  const sums = new Map<string, { readonly userId: UserId; readonly day: number; amount: bigint }>()
  for (const row of days) {
    const userId = referrerOf.get(row.userId)!
    const volume = volumes.get(row.userId) ?? 0n
    volumes.set(row.userId, volume + row.volume)
    const at = `${userId} ${row.day}`
    const sum = sums.get(at) ?? { userId, day: row.day, amount: 0n }
    sum.amount += rewardOf(row, volume)
    sums.set(at, sum)
  }
  return [...sums.values()]
}
