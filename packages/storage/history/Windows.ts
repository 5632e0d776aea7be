/** Time windows of whole minutes, aligned to multiples of their length since 1970, so that days begin at 00:00 UTC. */
import { minuteMillis } from "@venue/domain/Minute"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

export interface Windows {
  readonly symbol: MarketSymbol
  /** Length of a window in minutes. */
  readonly minutes: number
  /** Start of the first window, in minutes since 1970. */
  readonly fromMinute: number
  /** End of the last window, exclusive, in minutes since 1970. */
  readonly beforeMinute: number
}

/** Maximum number of windows in one response. */
export const maxWindows = 20_000

/** Number of windows read in one query. */
const partWindows = 1_000

/** Returns the first `maxWindows` windows that begin in `[fromMillis, toMillis)`. */
export const between = (symbol: MarketSymbol, minutes: number, fromMillis: number, toMillis: number): Windows => {
  const startFrom = (millis: number) => Math.ceil(within(millis) / (minutes * minuteMillis)) * minutes
  const fromMinute = startFrom(fromMillis)
  const beforeMinute = Math.max(fromMinute, Math.min(startFrom(toMillis), fromMinute + maxWindows * minutes))
  return { symbol, minutes, fromMinute, beforeMinute }
}

export const count = ({ beforeMinute, fromMinute, minutes }: Windows): number => (beforeMinute - fromMinute) / minutes

/** Splits the windows into parts that one query can read, earliest first. */
export const parts = (windows: Windows): ReadonlyArray<Windows> => {
  const { beforeMinute, fromMinute, minutes } = windows
  const step = partWindows * minutes
  return Array.from({ length: Math.ceil(count(windows) / partWindows) }, (_, at) => ({
    ...windows,
    fromMinute: fromMinute + at * step,
    beforeMinute: Math.min(beforeMinute, fromMinute + (at + 1) * step)
  }))
}

/** Returns the windows' starts, earliest first. */
export const starts = (windows: Windows): ReadonlyArray<number> => {
  const { fromMinute, minutes } = windows
  return Array.from({ length: count(windows) }, (_, at) => fromMinute + at * minutes)
}

/** Pairs each window with the last row known at its start, or undefined before the first row. */
export const filled = <Row extends { readonly startMinute: number }>(
  windows: Windows,
  rows: ReadonlyArray<Row>
): ReadonlyArray<readonly [startMinute: number, row: Row | undefined]> => {
  let next = 0
  return starts(windows).map((startMinute) => {
    while (next < rows.length && rows[next]!.startMinute <= startMinute) next++
    return [startMinute, rows[next - 1]]
  })
}

/** A row about one minute of a symbol. */
export interface MinuteRow {
  readonly symbol: MarketSymbol
  readonly minute: number
}

/** Whether a minute's row is known at the start of the minute (`within`) or at its end (`after`). */
export type Known = "within" | "after"

const delay: Readonly<Record<Known, number>> = { within: 0, after: 1 }

/**
 * Selects each window's `start` and the `minute` of the last row known at that time, which for the first window can
 * be from before all windows. Omits windows without a new row.
 */
export const lastKnown = (sql: SqlClient.SqlClient, table: string, windows: Windows, known: Known): Fragment => {
  const { beforeMinute, fromMinute, minutes, symbol } = windows
  const late = delay[known]
  const rows = sql`select minute from ${sql(table)} where symbol = ${symbol}`
  return sql`
    select greatest(${fromMinute}::int, (minute + ${late + minutes - 1}::int) / ${minutes}::int * ${minutes}::int) as start,
      max(minute) as minute
    from (
      (${rows} and minute <= ${fromMinute - late}::int order by minute desc limit 1)
      union all
      (${rows} and minute > ${fromMinute - late}::int and minute <= ${beforeMinute - minutes - late}::int)
    ) known
    where ${fromMinute}::int < ${beforeMinute}::int
    group by 1`
}

/**
 * Selects the row of the minute in a column of `w`. The `limit` keeps Postgres from joining all rows, which took four
 * times as long for a year of days.
 */
export const rowAt = (sql: SqlClient.SqlClient, table: string, symbol: MarketSymbol, column: string): Fragment =>
  sql`select * from ${sql(table)} where symbol = ${symbol} and minute = w.${sql(column)} limit 1`

/** In-memory equivalent of `lastKnown`. */
export const lastKnownOf = <Row extends MinuteRow>(
  rows: ReadonlyArray<Row>,
  { beforeMinute, fromMinute, minutes, symbol }: Windows,
  known: Known
): ReadonlyArray<Row & { readonly startMinute: number }> => {
  const lastRows = new Map<number, Row & { readonly startMinute: number }>()
  for (const row of ordered(rows, symbol)) {
    const startMinute = Math.max(fromMinute, Math.ceil((row.minute + delay[known]) / minutes) * minutes)
    if (startMinute < beforeMinute) lastRows.set(startMinute, { ...row, startMinute })
  }
  return [...lastRows.values()]
}

/** Groups in-memory rows by window. */
export const grouped = <Row extends MinuteRow>(
  rows: ReadonlyArray<Row>,
  { beforeMinute, fromMinute, minutes, symbol }: Windows
): ReadonlyArray<readonly [startMinute: number, rows: ReadonlyArray<Row>]> => [
  ...Map.groupBy(
    ordered(rows, symbol).filter(({ minute }) => minute >= fromMinute && minute < beforeMinute),
    ({ minute }) => minute - (minute % minutes)
  )
]

/** Returns the rows of one symbol, earliest first. */
export const ordered = <Row extends MinuteRow>(rows: ReadonlyArray<Row>, symbol: MarketSymbol): ReadonlyArray<Row> =>
  rows.filter((row) => row.symbol === symbol).sort((a, b) => a.minute - b.minute)

/** Largest minute that an integer column can hold, rounded down. */
const latestMinute = 2_000_000_000

const within = (millis: number): number => Math.min(Math.max(millis, 0), latestMinute * minuteMillis)
