/** Calendar of futures: the part of `FuturesReference` that returns the future in use at a given time (rule 3.10). */
import { Clock, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { type ActiveFuture, chained, type DatedFuture } from "@venue/domain/Futures"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Table from "@venue/postgres/Table"

const calendarTable = Table.make("settlement_calendar", {
  symbol: of("text", MarketSymbol),
  activeFromMillis: timestamptz,
  activeUntilMillis: timestamptz,
  futureSymbol: text,
  expirationMillis: timestamptz,
  recordedAtMillis: timestamptz
})
export type CalendarEntry = Table.Row<typeof calendarTable>

export interface SettlementCalendar {
  /** Sets the futures from a given time on. Ends the future in use at that time and replaces later entries. */
  readonly setCalendar: (
    symbol: MarketSymbol,
    activeFromMillis: number,
    futures: ReadonlyArray<DatedFuture>
  ) => Effect.Effect<void, DatabaseUnavailable>
  /** Returns the latest 100 calendar entries, latest first. */
  readonly calendar: (symbol: MarketSymbol) => Effect.Effect<ReadonlyArray<CalendarEntry>, DatabaseUnavailable>
  readonly activeAt: (
    symbol: MarketSymbol,
    atMillis: number
  ) => Effect.Effect<Option.Option<CalendarEntry>, DatabaseUnavailable>
}

export const onPostgres = (sql: SqlClient.SqlClient): SettlementCalendar => ({
  setCalendar: Effect.fn("FuturesReference.setCalendar")(
    function* (symbol: MarketSymbol, activeFromMillis: number, futures: ReadonlyArray<DatedFuture>) {
      // Without the lock, two concurrent calls could store overlapping futures.
      yield* sql`lock table settlement_calendar in share row exclusive mode`
      const from = new Date(activeFromMillis)
      yield* sql`delete from settlement_calendar where symbol = ${symbol} and active_from >= ${from}`
      yield* sql`
        update settlement_calendar set active_until = ${from} where symbol = ${symbol} and active_until > ${from}`
      const recordedAtMillis = yield* Clock.currentTimeMillis
      const rows = calendarTable.batch(entriesOf(symbol, chained(activeFromMillis, futures), recordedAtMillis))
      yield* sql`${rows.insert(0, rows.rows)}`
    },
    sql.withTransaction,
    orUnavailable
  ),
  calendar: Effect.fn("FuturesReference.calendar")(
    (symbol: MarketSymbol) =>
      calendarTable.all(sql`
        select ${calendarTable.columns} from settlement_calendar
        where symbol = ${symbol} order by active_from desc limit ${maxListed}`),
    orUnavailable
  ),
  activeAt: Effect.fn("FuturesReference.activeAt")(
    (symbol: MarketSymbol, atMillis: number) =>
      calendarTable.first(sql`
        select ${calendarTable.columns} from settlement_calendar
        where symbol = ${symbol} and ${new Date(atMillis)} between active_from and active_until
        order by active_until limit 1`),
    orUnavailable
  )
})

/** In-memory calendar, which can also be read synchronously. */
export interface MemoryCalendar extends SettlementCalendar {
  readonly activeNow: (symbol: MarketSymbol, atMillis: number) => CalendarEntry | undefined
}

export const inMemory = ({ table, transaction }: MemoryTables["Service"]): MemoryCalendar => {
  const entries = table<CalendarEntry>()
  const keyOf = ({ activeFromMillis, symbol }: CalendarEntry) => `${symbol} ${activeFromMillis}`
  const entriesFor = (symbol: MarketSymbol) => entries.rows().filter((entry) => entry.symbol === symbol)
  const activeNow = (symbol: MarketSymbol, atMillis: number) =>
    entriesFor(symbol)
      .filter((entry) => entry.activeFromMillis <= atMillis && atMillis <= entry.activeUntilMillis)
      .toSorted((a, b) => a.activeUntilMillis - b.activeUntilMillis)[0]
  return {
    activeNow,
    setCalendar: (symbol, activeFromMillis, futures) =>
      transaction(
        Effect.map(Clock.currentTimeMillis, (recordedAtMillis) => {
          for (const entry of entriesFor(symbol)) {
            if (entry.activeFromMillis >= activeFromMillis) entries.delete(keyOf(entry))
            else if (entry.activeUntilMillis > activeFromMillis)
              entries.set(keyOf(entry), { ...entry, activeUntilMillis: activeFromMillis })
          }
          for (const entry of entriesOf(symbol, chained(activeFromMillis, futures), recordedAtMillis))
            entries.set(keyOf(entry), entry)
        })
      ),
    calendar: (symbol) =>
      Effect.sync(() =>
        entriesFor(symbol)
          .toSorted((a, b) => b.activeFromMillis - a.activeFromMillis)
          .slice(0, maxListed)
      ),
    activeAt: (symbol, atMillis) => Effect.sync(() => Option.fromUndefinedOr(activeNow(symbol, atMillis)))
  }
}

const maxListed = 100

const entriesOf = (
  symbol: MarketSymbol,
  futures: ReadonlyArray<ActiveFuture>,
  recordedAtMillis: number
): ReadonlyArray<CalendarEntry> => futures.map((future) => ({ ...future, symbol, recordedAtMillis }))
