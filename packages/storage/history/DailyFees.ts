/** Each user's daily volume and fees. The fees exclude builders' shares and are the basis of referral rewards. */
import { dayOf } from "@venue/domain/Day"
import { type Fill, marketStream, type Traded } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import { integer, numeric, of, storable } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import type { MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Money in 1e-6 USD. */
const dailyFeeTable = Table.make("daily_fee", {
  userId: of("text", UserId),
  /** Days since 1970-01-01, UTC. */
  day: integer,
  volume: numeric,
  base: numeric
})
export type DailyFee = Table.Row<typeof dailyFeeTable>

const dailyFees = ReadTable.make(dailyFeeTable, {
  key: ({ day, userId }) => `${userId} ${day}`,
  merge: {
    rows: (before, next) => ({ ...before, volume: before.volume + next.volume, base: before.base + next.base }),
    conflict: `on conflict (user_id, day) do update
      set volume = daily_fee.volume + excluded.volume, base = daily_fee.base + excluded.base`
  }
})

export const projection: MarketProjection = {
  group: "daily_fee",
  stream: marketStream,
  writes: (_symbol, rows) => [
    dailyFees.write(
      rows.flatMap(({ events }) => events.flatMap((event) => (event._tag === "Traded" ? rowsOf(event) : [])))
    )
  ]
}

/** Trades off the order book count towards neither volume nor trading fees. */
const rowsOf = ({ atMillis, maker, notional, offBook, taker }: Traded): ReadonlyArray<DailyFee> =>
  offBook === undefined
    ? [taker, maker].map((fill) => ({
        userId: fill.order.userId,
        day: dayOf(atMillis),
        volume: BigInt(notional),
        base: BigInt(baseOf(fill))
      }))
    : []

/** A rebate counts as a fee of 0. */
const baseOf = ({ fee, reward }: Fill): number => Math.max(0, fee - (reward?.amount ?? 0))

/** Returns these users' rows for the days in `[from, before)`, earliest first. */
export const ofUsers = (
  userIds: ReadonlyArray<UserId>,
  fromDay: number,
  beforeDay: number
): ReadTable.ReadQuery<ReadonlyArray<DailyFee>> => ({
  sql: (sql) =>
    dailyFeeTable.all(
      sql`
      select ${dailyFeeTable.columns} from daily_fee
      where user_id in ${sql.in(userIds.map(storable))} and day >= ${fromDay} and day < ${beforeDay}
      order by day, user_id`.unprepared
    ),
  memory: (memory) =>
    dailyFees
      .rowsIn(memory)
      .filter(({ day, userId }) => userIds.includes(userId) && day >= fromDay && day < beforeDay)
      .sort((a, b) => a.day - b.day || (a.userId < b.userId ? -1 : 1))
})

const volumes = Table.selection({
  userId: { schema: UserId, expression: "user_id" },
  volume: { schema: numeric.schema, expression: "sum(volume)::text" }
})
export type Volume = Table.Row<typeof volumes>

/** Returns each user's volume before a day; omits users without volume. */
export const volumesBefore = (
  userIds: ReadonlyArray<UserId>,
  day: number
): ReadTable.ReadQuery<ReadonlyArray<Volume>> => ({
  sql: (sql) =>
    volumes.all(
      sql`
      select ${volumes.columns} from daily_fee
      where user_id in ${sql.in(userIds.map(storable))} and day < ${day}
      group by user_id order by user_id`.unprepared
    ),
  memory: (memory) => {
    const sums = new Map<UserId, bigint>()
    for (const row of dailyFees.rowsIn(memory)) {
      if (!userIds.includes(row.userId) || row.day >= day) continue
      sums.set(row.userId, (sums.get(row.userId) ?? 0n) + row.volume)
    }
    return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([userId, volume]) => ({ userId, volume }))
  }
})
