/** Each account's daily volume in each symbol. A trade counts once for each side's account. */
import { AccountId } from "@venue/domain/AccountId"
import { dayOf } from "@venue/domain/Day"
import { type Fill, marketStream, type Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { integer, numeric, of, storable } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import type { MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Money in 1e-6 USD. */
const dailyVolumeTable = Table.make("daily_volume", {
  userId: of("text", UserId),
  /** Days since 1970-01-01, UTC. */
  day: integer,
  symbol: of("text", MarketSymbol),
  accountId: of("text", AccountId),
  maker: numeric,
  taker: numeric
})
type DailyVolume = Table.Row<typeof dailyVolumeTable>

const dailyVolumes = ReadTable.make(dailyVolumeTable, {
  key: ({ accountId, day, symbol, userId }) => `${userId} ${day} ${symbol} ${accountId}`,
  merge: {
    rows: (before, next) => ({ ...before, maker: before.maker + next.maker, taker: before.taker + next.taker }),
    conflict: `on conflict (user_id, day, symbol, account_id) do update
      set maker = daily_volume.maker + excluded.maker, taker = daily_volume.taker + excluded.taker`
  }
})

export const projection: MarketProjection = {
  group: "daily_volume",
  stream: marketStream,
  writes: (symbol, rows) => [
    dailyVolumes.write(
      rows.flatMap(({ events }) => events.flatMap((event) => (event._tag === "Traded" ? rowsOf(symbol, event) : [])))
    )
  ]
}

/** Trades off the order book do not count towards volume. */
const rowsOf = (
  symbol: MarketSymbol,
  { atMillis, maker, notional, offBook, taker }: Traded
): ReadonlyArray<DailyVolume> => {
  if (offBook !== undefined) return []
  const row = ({ order: { accountId, userId } }: Fill) => ({ userId, day: dayOf(atMillis), symbol, accountId })
  return [
    { ...row(taker), maker: 0n, taker: BigInt(notional) },
    { ...row(maker), maker: BigInt(notional), taker: 0n }
  ]
}

const sums = Table.selection({
  userId: { schema: UserId, expression: "user_id" },
  symbol: { schema: MarketSymbol, expression: "symbol" },
  volume: { schema: numeric.schema, expression: "sum(maker + taker)::text" }
})
/** A user's volume in one symbol over several days and all the user's accounts, in 1e-6 USD. */
export type SymbolVolume = Table.Row<typeof sums>

/** Returns these users' volume per symbol in a range of days with an exclusive end; omits symbols without volume. */
export const ofUsers = (
  userIds: ReadonlyArray<UserId>,
  fromDay: number,
  beforeDay: number
): ReadTable.ReadQuery<ReadonlyArray<SymbolVolume>> => ({
  sql: (sql) =>
    sums.all(
      sql`
      select ${sums.columns} from daily_volume
      where user_id in ${sql.in(userIds.map(storable))} and day >= ${fromDay} and day < ${beforeDay}
      group by user_id, symbol
      order by user_id, symbol`.unprepared
    ),
  memory: (memory) => {
    const wanted = new Set<UserId>(userIds)
    const volumes = new Map<string, SymbolVolume>()
    for (const { day, maker, symbol, taker, userId } of dailyVolumes.rowsIn(memory)) {
      if (!wanted.has(userId) || day < fromDay || day >= beforeDay) continue
      const at = `${userId} ${symbol}`
      volumes.set(at, { userId, symbol, volume: (volumes.get(at)?.volume ?? 0n) + maker + taker })
    }
    return [...volumes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  }
})

const accountSums = Table.selection({
  userId: { schema: UserId, expression: "user_id" },
  accountId: { schema: AccountId, expression: "account_id" },
  volume: { schema: numeric.schema, expression: "sum(maker + taker)::text" }
})
/** An account's volume over several days, in 1e-6 USD. */
export type AccountVolume = Table.Row<typeof accountSums>

/** Returns at most `limit` of these users' accounts, ordered by volume since the given day, largest first. */
export const largest = (
  userIds: ReadonlyArray<UserId>,
  fromDay: number,
  limit: number
): ReadTable.ReadQuery<ReadonlyArray<AccountVolume>> => ({
  sql: (sql) =>
    userIds.length === 0
      ? Effect.succeed([])
      : accountSums.all(
          sql`
          select ${accountSums.columns} from daily_volume
          where user_id in ${sql.in(userIds.map(storable))} and day >= ${fromDay}::int
          group by user_id, account_id
          order by sum(maker + taker) desc, account_id limit ${limit}`.unprepared
        ),
  memory: (memory) => {
    const wanted = new Set<UserId>(userIds)
    const volumes = new Map<AccountId, AccountVolume>()
    for (const { accountId, day, maker, taker, userId } of dailyVolumes.rowsIn(memory)) {
      if (!wanted.has(userId) || day < fromDay) continue
      volumes.set(accountId, { userId, accountId, volume: (volumes.get(accountId)?.volume ?? 0n) + maker + taker })
    }
    return [...volumes.values()].toSorted(largestFirst).slice(0, limit)
  }
})

/** Orders accounts by descending volume, then by id. */
export const largestFirst = (a: AccountVolume, b: AccountVolume): number =>
  a.volume === b.volume ? (a.accountId < b.accountId ? -1 : 1) : a.volume > b.volume ? -1 : 1

const days = Table.selection({
  day: { schema: Schema.Number, expression: "day" },
  maker: { schema: numeric.schema, expression: "sum(maker)::text" },
  taker: { schema: numeric.schema, expression: "sum(taker)::text" }
})
/** Volume on one day, in 1e-6 USD. */
export type DayVolume = Table.Row<typeof days>

export interface AccountDays {
  readonly userId: UserId
  readonly accountId: AccountId
  readonly symbols: ReadonlyArray<MarketSymbol>
  readonly fromDay: number
  readonly beforeDay: number
}

/** Returns an account's volume in these symbols by day; omits days without volume. */
export const ofAccount = ({
  accountId,
  beforeDay,
  fromDay,
  symbols,
  userId
}: AccountDays): ReadTable.ReadQuery<ReadonlyArray<DayVolume>> => ({
  sql: (sql) =>
    days.all(
      sql`
      select ${days.columns} from daily_volume
      where user_id = ${storable(userId)} and day >= ${fromDay}::int and day < ${beforeDay}::int
        and account_id = ${storable(accountId)} and symbol in ${sql.in(symbols)}
      group by day
      order by day`.unprepared
    ),
  memory: (memory) => {
    const volumes = new Map<number, DayVolume>()
    for (const row of dailyVolumes.rowsIn(memory)) {
      const { day } = row
      if (row.userId !== userId || row.accountId !== accountId || !symbols.includes(row.symbol)) continue
      if (day < fromDay || day >= beforeDay) continue
      const { maker, taker } = volumes.get(day) ?? { maker: 0n, taker: 0n }
      volumes.set(day, { day, maker: maker + row.maker, taker: taker + row.taker })
    }
    return [...volumes.values()].toSorted((a, b) => a.day - b.day)
  }
})
