/** Reference data for prices based on futures: daily closes and settlements, the calendar of futures, and holidays. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { millisOfDay } from "@venue/domain/Rfc3339"
import { dayMillis } from "@venue/domain/Day"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { bigint, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Count from "@venue/postgres/Count"
import { pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import * as SettlementCalendar from "./SettlementCalendar.ts"

const settlementTable = Table.make("settlement_price", {
  symbol: of("text", MarketSymbol),
  /** Date such as `2026-11-26`. */
  day: text,
  /** Official close of the index and settlement price of its future, both in 1e-8 USD. */
  officialCloseE8: bigint,
  settlementE8: bigint,
  /** Null if not recorded; the day's future is then the one in use at the end of the UTC day. */
  futureSymbol: orNull(text),
  recordedAtMillis: timestamptz
})
export type Settlement = Table.Row<typeof settlementTable>

const futureName = "coalesce(settlement_price.future_symbol, active.future_symbol)"
const latestSettlement = settlementTable.with<{ readonly futureSymbol: string | null }>({
  futureSymbol: { schema: Schema.NullOr(Schema.String), expression: futureName }
})
const namedSettlement = settlementTable.with<{ readonly futureSymbol: string }>({
  futureSymbol: { schema: Schema.String, expression: futureName }
})
export type NamedSettlement = Table.Row<typeof namedSettlement>

export interface SettlementQuery {
  readonly symbol: MarketSymbol | undefined
  /** Range of days: `startDay` is inclusive, `endDay` is exclusive. */
  readonly startDay: string | undefined
  readonly endDay: string | undefined
  readonly limit: number
}

const holidayTable = Table.make("exchange_holiday", { day: text })

export class FuturesReference extends Context.Service<
  FuturesReference,
  {
    /** Records a day's settlement, replacing an earlier record for the day. */
    readonly record: (settlement: Omit<Settlement, "recordedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Each symbol's newest day. */
    readonly latest: Effect.Effect<ReadonlyArray<Settlement>, DatabaseUnavailable>
    /** Returns the settlements with a known future, newest day first. */
    readonly settlements: (query: SettlementQuery) => Effect.Effect<ReadonlyArray<NamedSettlement>, DatabaseUnavailable>
    /** Returns the number of all matching settlements, at most `maxCount`; ignores the query's limit. */
    readonly countSettlements: (query: SettlementQuery) => Effect.Effect<number, DatabaseUnavailable>
    /** Replaces the holidays of a year, such as `2026`. */
    readonly setHolidays: (year: string, days: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    /** All holidays, earliest first. */
    readonly holidays: Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  } & SettlementCalendar.SettlementCalendar
>()("@venue/storage/prices/FuturesReference") {
  static readonly layer: Layer.Layer<FuturesReference, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    FuturesReference,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const active = sql`left join lateral (
        select c.future_symbol from settlement_calendar c
        where c.symbol = settlement_price.symbol
          and (settlement_price.day::date + 1)::timestamp at time zone 'UTC' between c.active_from and c.active_until
        order by c.active_until limit 1) active on true`
      const wanted = ({ endDay, startDay, symbol }: SettlementQuery) => {
        const all = [sql`${sql.literal(futureName)} is not null`]
        if (symbol !== undefined) all.push(sql`symbol = ${symbol}`)
        if (startDay !== undefined) all.push(sql`day >= ${startDay}`)
        if (endDay !== undefined) all.push(sql`day < ${endDay}`)
        return sql`from settlement_price ${active} where ${sql.and(all)}`
      }
      return FuturesReference.of({
        ...SettlementCalendar.onPostgres(sql),
        record: Effect.fn("FuturesReference.record")(function* (settlement: Omit<Settlement, "recordedAtMillis">) {
          const recordedAtMillis = yield* Clock.currentTimeMillis
          yield* sql`
            insert into settlement_price ${settlementTable.values({ ...settlement, recordedAtMillis })}
            on conflict (symbol, day) do update set official_close_e8 = excluded.official_close_e8,
              settlement_e8 = excluded.settlement_e8, future_symbol = excluded.future_symbol,
              recorded_at = excluded.recorded_at`
        }, orUnavailable),
        latest: orUnavailable(
          latestSettlement.all(sql`
            select distinct on (settlement_price.symbol) ${latestSettlement.columns} from settlement_price ${active}
            order by settlement_price.symbol, day desc`)
        ),
        settlements: Effect.fn("FuturesReference.settlements")((query) => {
          const { limit } = pageOf({ ...query, offset: 0 })
          return namedSettlement.all(
            sql`select ${namedSettlement.columns} ${wanted(query)} order by day desc, symbol limit ${limit}`.unprepared
          )
        }, orUnavailable),
        countSettlements: Effect.fn("FuturesReference.countSettlements")(
          (query: SettlementQuery) => Count.ofRows(sql, wanted(query)),
          orUnavailable
        ),
        setHolidays: Effect.fn("FuturesReference.setHolidays")(
          (year: string, days: ReadonlyArray<string>) =>
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`delete from exchange_holiday where starts_with(day, ${`${year}-`})`
                for (const day of days)
                  yield* sql`insert into exchange_holiday ${holidayTable.values({ day })} on conflict do nothing`
              })
            ),
          orUnavailable
        ),
        holidays: orUnavailable(
          Effect.map(holidayTable.all(sql`select ${holidayTable.columns} from exchange_holiday order by day`), (rows) =>
            rows.map(({ day }) => day)
          )
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<FuturesReference> = Layer.effect(
    FuturesReference,
    Effect.gen(function* () {
      const tables = yield* MemoryTables
      const { table, transaction } = tables
      const settlements = table<Settlement>()
      const holidays = table<string>()
      const { activeNow, ...calendar } = SettlementCalendar.inMemory(tables)
      const futureOf = ({ day, futureSymbol, symbol }: Settlement) =>
        futureSymbol ?? activeNow(symbol, millisOfDay(day)! + dayMillis)?.futureSymbol ?? null
      const named = (row: Settlement): Settlement => ({ ...row, futureSymbol: futureOf(row) })
      const isNamed = (row: Settlement): row is NamedSettlement => row.futureSymbol !== null
      const wanted = ({ endDay, startDay, symbol }: SettlementQuery) =>
        settlements
          .rows()
          .map(named)
          .filter(isNamed)
          .filter(
            (row) =>
              (symbol === undefined || row.symbol === symbol) &&
              (startDay === undefined || row.day >= startDay) &&
              (endDay === undefined || row.day < endDay)
          )
      return FuturesReference.of({
        ...calendar,
        record: (settlement) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (recordedAtMillis) =>
              settlements.set(`${settlement.symbol} ${settlement.day}`, { ...settlement, recordedAtMillis })
            )
          ),
        latest: Effect.sync(() => {
          const latest = new Map<MarketSymbol, Settlement>()
          for (const row of settlements.rows())
            if (row.day >= (latest.get(row.symbol)?.day ?? "")) latest.set(row.symbol, row)
          return [...latest.values()].map(named).toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
        }),
        settlements: (query) =>
          Effect.sync(() =>
            wanted(query)
              .toSorted((a, b) => (a.day === b.day ? (a.symbol < b.symbol ? -1 : 1) : a.day > b.day ? -1 : 1))
              .slice(0, pageOf({ ...query, offset: 0 }).limit)
          ),
        countSettlements: (query) => Effect.sync(() => Count.ofMemory(wanted(query))),
        setHolidays: (year, days) =>
          transaction(
            Effect.sync(() => {
              for (const day of holidays.rows()) if (day.startsWith(`${year}-`)) holidays.delete(day)
              for (const day of days) holidays.set(day, day)
            })
          ),
        holidays: Effect.sync(() => holidays.rows().toSorted())
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
