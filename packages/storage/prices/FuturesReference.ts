/** What prices made of futures need: the official close and settlement of each day, and the exchange's holidays. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { bigint, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const settlementTable = Table.make("settlement_price", {
  symbol: of("text", MarketSymbol),
  /** Days are written `2026-11-26`. */
  day: text,
  /** The close of the index, and the settlement of its future. */
  officialCloseE8: bigint,
  settlementE8: bigint,
  recordedAtMillis: timestamptz
})
export type Settlement = Table.Row<typeof settlementTable>

const holidayTable = Table.make("exchange_holiday", { day: text })

export class FuturesReference extends Context.Service<
  FuturesReference,
  {
    /** What is recorded again of a day replaces what was. */
    readonly record: (settlement: Omit<Settlement, "recordedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** The newest day of each symbol. */
    readonly latest: Effect.Effect<ReadonlyArray<Settlement>, DatabaseUnavailable>
    /** Replaces the holidays of a year, such as `2026`. */
    readonly setHolidays: (year: string, days: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
    /** All of them, the earliest first. */
    readonly holidays: Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  }
>()("@venue/storage/prices/FuturesReference") {
  static readonly layer: Layer.Layer<FuturesReference, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    FuturesReference,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return FuturesReference.of({
        record: Effect.fn("FuturesReference.record")(function* (settlement: Omit<Settlement, "recordedAtMillis">) {
          const recordedAtMillis = yield* Clock.currentTimeMillis
          yield* sql`
            insert into settlement_price ${settlementTable.values({ ...settlement, recordedAtMillis })}
            on conflict (symbol, day) do update set official_close_e8 = excluded.official_close_e8,
              settlement_e8 = excluded.settlement_e8, recorded_at = excluded.recorded_at`
        }, orUnavailable),
        latest: orUnavailable(
          settlementTable.all(sql`
            select distinct on (symbol) ${settlementTable.columns} from settlement_price order by symbol, day desc`)
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
      const { table, transaction } = yield* MemoryTables
      const settlements = table<Settlement>()
      const holidays = table<string>()
      return FuturesReference.of({
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
          return [...latest.values()].toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
        }),
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
