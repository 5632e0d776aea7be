/** Windows of whole minutes: each begins at a multiple of its length since 1970, so that those of a day begin at 00:00 UTC. */
import { minuteMillis } from "@venue/domain/Minute"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"

export interface Windows {
  readonly symbol: MarketSymbol
  /** Each is so long. */
  readonly minutes: number
  /** The first begins here. */
  readonly fromMinute: number
  /** The one after the last would begin here. */
  readonly beforeMinute: number
}

/** Windows of one answer. */
export const maxWindows = 20_000

/** Windows that are read at once. */
const partWindows = 1_000

/** Gives those that begin at `fromMillis` or later and before `toMillis`, the first of them where they are too many. */
export const between = (symbol: MarketSymbol, minutes: number, fromMillis: number, toMillis: number): Windows => {
  const startFrom = (millis: number) => Math.ceil(within(millis) / (minutes * minuteMillis)) * minutes
  const fromMinute = startFrom(fromMillis)
  const beforeMinute = Math.max(fromMinute, Math.min(startFrom(toMillis), fromMinute + maxWindows * minutes))
  return { symbol, minutes, fromMinute, beforeMinute }
}

export const count = ({ beforeMinute, fromMinute, minutes }: Windows): number => (beforeMinute - fromMinute) / minutes

/** Splits them into parts that are read at once, the earliest first. */
export const parts = (windows: Windows): ReadonlyArray<Windows> => {
  const { beforeMinute, fromMinute, minutes } = windows
  const step = partWindows * minutes
  return Array.from({ length: Math.ceil(count(windows) / partWindows) }, (_, at) => ({
    ...windows,
    fromMinute: fromMinute + at * step,
    beforeMinute: Math.min(beforeMinute, fromMinute + (at + 1) * step)
  }))
}

/** The start of each of them, the earliest first. */
export const starts = (windows: Windows): ReadonlyArray<number> => {
  const { fromMinute, minutes } = windows
  return Array.from({ length: count(windows) }, (_, at) => fromMinute + at * minutes)
}

/** Gives each window the row that was the last known when it began; none where nothing had been known by then. */
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

/** What tells something of a minute of a symbol. */
export interface Told {
  readonly symbol: MarketSymbol
  readonly minute: number
}

/** From when on a row is known: in the minute it tells of, or after it. */
export type Known = "within" | "after"

const delay: Readonly<Record<Known, number>> = { within: 0, after: 1 }

/**
 * Selects `start`, and the `minute` of the row that was the last known then. The first has what was known before all of
 * them; a window in which nothing became known is left out.
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
 * Selects the row of the minute that a column of `w` names. The limit keeps Postgres from joining all rows there are: it
 * takes each minute of a year for a window of its own, and a year of days took four times as long.
 */
export const rowAt = (sql: SqlClient.SqlClient, table: string, symbol: MarketSymbol, column: string): Fragment =>
  sql`select * from ${sql(table)} where symbol = ${symbol} and minute = w.${sql(column)} limit 1`

/** The same of rows in memory. */
export const lastKnownOf = <Row extends Told>(
  rows: ReadonlyArray<Row>,
  { beforeMinute, fromMinute, minutes, symbol }: Windows,
  known: Known
): ReadonlyArray<Row & { readonly startMinute: number }> => {
  const found = new Map<number, Row & { readonly startMinute: number }>()
  for (const row of ordered(rows, symbol)) {
    const startMinute = Math.max(fromMinute, Math.ceil((row.minute + delay[known]) / minutes) * minutes)
    if (startMinute < beforeMinute) found.set(startMinute, { ...row, startMinute })
  }
  return [...found.values()]
}

/** Rows in memory by the windows that their minutes are in. */
export const grouped = <Row extends Told>(
  rows: ReadonlyArray<Row>,
  { beforeMinute, fromMinute, minutes, symbol }: Windows
): ReadonlyArray<readonly [startMinute: number, rows: ReadonlyArray<Row>]> => [
  ...Map.groupBy(
    ordered(rows, symbol).filter(({ minute }) => minute >= fromMinute && minute < beforeMinute),
    ({ minute }) => minute - (minute % minutes)
  )
]

/** Those of one symbol, the earliest first. */
export const ordered = <Row extends Told>(rows: ReadonlyArray<Row>, symbol: MarketSymbol): ReadonlyArray<Row> =>
  rows.filter((row) => row.symbol === symbol).sort((a, b) => a.minute - b.minute)

/** What a column of minutes holds. */
const latestMinute = 2_000_000_000

const within = (millis: number): number => Math.min(Math.max(millis, 0), latestMinute * minuteMillis)
