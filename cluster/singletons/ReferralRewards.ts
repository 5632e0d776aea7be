/**
 * Credits users each day for those whom they have brought (rule 13.4): one for the whole venue, without state. However often
 * it begins anew, a day is credited once, since the journal of each trader says which was the last.
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

/** A day is credited from then on, as soon as the tables have all of it. */
const afterMidnightMillis = 5 * 60_000
/** Users whose rewards are looked up at once; each may have brought a few. */
const maxGroup = 64
const lookAgain = Schedule.spaced("1 second")

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

/** Credits all days before one that are not credited yet. */
const makeCredit = Effect.gen(function* () {
  const codes = yield* InvitationCodes
  const desks = yield* DeskClient
  const tables = yield* ReadTables
  const { instruments } = yield* VenueSettings

  const creditSome = Effect.fnUntraced(function* (referrerIds: ReadonlyArray<UserId>, today: number) {
    const brought = yield* codes.broughtBy(referrerIds)
    const userIds = brought.map(({ userId }) => userId)
    const credited = yield* tables.read(ReferralRewards.lastDays(referrerIds))
    const fromDay = Math.min(...referrerIds.map((userId) => (credited.get(userId) ?? -1) + 1))
    const days = yield* tables.read(DailyFees.ofUsers(userIds, fromDay, today))
    if (days.length === 0) return
    const before = yield* tables.read(DailyFees.volumesBefore(userIds, fromDay))
    for (const { amount, day, userId } of rewards(brought, days, before)) {
      if (day <= (credited.get(userId) ?? -1)) continue
      yield* desks.ask(userId, (desk) => desk.CreditReferrals({ userId, day, amount }))
    }
  })
  return Effect.fnUntraced(function* (today: number) {
    const markets = yield* PassedMidnight.make(DailyFees.projection, today)
    const arePassed = Effect.map(markets.passed, (has) => [...instruments.keys()].every(has))
    yield* Effect.repeat(arePassed, { until: (all) => all, schedule: lookAgain })
    let referrers: ReadonlyArray<UserId> = []
    do {
      referrers = yield* codes.referrers(referrers.at(-1) ?? "", maxGroup)
      if (referrers.length > 0) yield* creditSome(referrers, today)
    } while (referrers.length === maxGroup)
  })
})

/** Of each referrer and day, the earliest first: what those whom they brought traded before counts towards what is the most. */
const rewards = (
  brought: ReadonlyArray<Referral>,
  days: ReadonlyArray<DailyFees.DailyFee>,
  before: ReadonlyArray<DailyFees.Volume>
): ReadonlyArray<{ readonly userId: UserId; readonly day: number; readonly amount: bigint }> => {
  const referrerOf = new Map(brought.map(({ referrerId, userId }) => [userId, referrerId]))
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
