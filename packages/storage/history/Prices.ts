/** A symbol's prices and open interest per minute; a minute without a change has no row. */
import { type MarketEvent, marketStream, type Priced } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { bigint, integer, of } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Effect, Option, Schema } from "effect"
import { type MarketProjection, positionOf } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"
import * as Windows from "./Windows.ts"

/** Oracle and mark prices are in 1e-8 USD. */
const priceTable = Table.make("price_minute", {
  symbol: of("text", MarketSymbol),
  minute: integer,
  oracleOpenE8: bigint,
  oracleHighE8: bigint,
  oracleLowE8: bigint,
  oracleCloseE8: bigint,
  markOpenE8: bigint,
  markCloseE8: bigint,
  /** Midpoint of the order book, in half ticks; 0 if one side was empty for the whole minute. */
  middleOpenHalfTicks: bigint,
  middleCloseHalfTicks: bigint,
  openInterestOpenLots: bigint,
  openInterestCloseLots: bigint
})
export type PriceMinute = Table.Row<typeof priceTable>

type Prices = Omit<PriceMinute, "symbol" | "minute">
/** Prices in a time window; windows without a change are omitted. */
export interface PriceWindow extends Prices {
  readonly startMinute: number
}

const merged = <Row extends Prices>(before: Row, next: Row): Row => ({
  ...before,
  oracleHighE8: Math.max(before.oracleHighE8, next.oracleHighE8),
  oracleLowE8: Math.min(before.oracleLowE8, next.oracleLowE8),
  oracleCloseE8: next.oracleCloseE8,
  markCloseE8: next.markCloseE8,
  middleOpenHalfTicks: before.middleOpenHalfTicks || next.middleOpenHalfTicks,
  middleCloseHalfTicks: next.middleCloseHalfTicks || before.middleCloseHalfTicks,
  openInterestCloseLots: next.openInterestCloseLots
})

const prices = ReadTable.make(priceTable, {
  key: ({ minute, symbol }) => `${symbol} ${minute}`,
  maxInMemory: 100_000,
  merge: {
    rows: merged,
    conflict: `on conflict (symbol, minute) do update set
      oracle_high_e8 = greatest(price_minute.oracle_high_e8, excluded.oracle_high_e8),
      oracle_low_e8 = least(price_minute.oracle_low_e8, excluded.oracle_low_e8),
      oracle_close_e8 = excluded.oracle_close_e8,
      mark_close_e8 = excluded.mark_close_e8,
      middle_open_half_ticks =
        coalesce(nullif(price_minute.middle_open_half_ticks, 0), excluded.middle_open_half_ticks),
      middle_close_half_ticks =
        coalesce(nullif(excluded.middle_close_half_ticks, 0), price_minute.middle_close_half_ticks),
      open_interest_close_lots = excluded.open_interest_close_lots`
  }
})

export const projection: MarketProjection = {
  group: "price",
  stream: marketStream,
  writes: (symbol, rows) => [
    prices.write(rows.flatMap(({ events }) => events.filter(isPriced).map((event) => rowOf(symbol, event))))
  ]
}

const isPriced = (event: MarketEvent): event is Priced => event._tag === "Priced"

const rowOf = (symbol: MarketSymbol, priced: Priced): PriceMinute => {
  const { askTicks, atMillis, bidTicks, markE8, openInterestLots, oracleE8 } = priced
  const middle = bidTicks === 0 || askTicks === 0 ? 0 : bidTicks + askTicks
  return {
    symbol,
    minute: minuteOf(atMillis),
    oracleOpenE8: oracleE8,
    oracleHighE8: oracleE8,
    oracleLowE8: oracleE8,
    oracleCloseE8: oracleE8,
    markOpenE8: markE8,
    markCloseE8: markE8,
    middleOpenHalfTicks: middle,
    middleCloseHalfTicks: middle,
    openInterestOpenLots: openInterestLots,
    openInterestCloseLots: openInterestLots
  }
}

const number = (expression: string) => ({ schema: Schema.Number, expression: `${expression}::float8` })

const inWindows = Table.selection<PriceWindow>({
  startMinute: number("w.start"),
  oracleOpenE8: number("first.oracle_open_e8"),
  oracleHighE8: number("w.high"),
  oracleLowE8: number("w.low"),
  oracleCloseE8: number("last.oracle_close_e8"),
  markOpenE8: number("first.mark_open_e8"),
  markCloseE8: number("last.mark_close_e8"),
  middleOpenHalfTicks: number("coalesce(opening.middle_open_half_ticks, 0)"),
  middleCloseHalfTicks: number("coalesce(closing.middle_close_half_ticks, 0)"),
  openInterestOpenLots: number("first.open_interest_open_lots"),
  openInterestCloseLots: number("last.open_interest_close_lots")
})

/** Returns the windows' prices, earliest first. */
export const ofWindows = (windows: Windows.Windows): ReadTable.ReadQuery<ReadonlyArray<PriceWindow>> => ({
  sql: (sql) => {
    const { beforeMinute, fromMinute, minutes, symbol } = windows
    const row = (minute: string) => Windows.rowAt(sql, "price_minute", symbol, minute)
    return inWindows.all(
      sql`
      with w as (
        select minute / ${minutes}::int * ${minutes}::int as start, min(minute) as first, max(minute) as last,
          max(oracle_high_e8) as high, min(oracle_low_e8) as low,
          min(minute) filter (where middle_open_half_ticks <> 0) as opening,
          max(minute) filter (where middle_close_half_ticks <> 0) as closing
        from price_minute
        where symbol = ${symbol} and minute >= ${fromMinute}::int and minute < ${beforeMinute}::int
        group by 1
      )
      select ${inWindows.columns} from w
      cross join lateral (${row("first")}) first
      cross join lateral (${row("last")}) last
      left join lateral (${row("opening")}) opening on true
      left join lateral (${row("closing")}) closing on true
      order by w.start`.unprepared
    )
  },
  memory: (memory) =>
    Windows.grouped(prices.rowsIn(memory), windows).map(([startMinute, rows]) => {
      const { minute: _minute, symbol: _symbol, ...prices } = rows.reduce(merged)
      return { startMinute, ...prices }
    })
})

const closing = Table.selection({
  oracleE8: number("last.oracle_close_e8"),
  markE8: number("last.mark_close_e8"),
  middleHalfTicks: number("coalesce(middle.middle_close_half_ticks, 0)"),
  openInterestLots: number("last.open_interest_close_lots")
})
/** Latest prices. The midpoint is the last one with orders on both sides of the book, or 0 before the first. */
export type ClosingPrices = Table.Row<typeof closing>

/** Returns the latest prices before the given minute began. */
export const lastBefore = (
  symbol: MarketSymbol,
  beforeMinute: number
): ReadTable.ReadQuery<ClosingPrices | undefined> => ({
  sql: (sql) => {
    const row = sql`
      select * from price_minute where symbol = ${symbol} and minute < ${beforeMinute}::int`
    return Effect.map(
      closing.first(
        sql`
        select ${closing.columns} from (${row} order by minute desc limit 1) last
        left join (${row} and middle_close_half_ticks <> 0 order by minute desc limit 1) middle on true`.unprepared
      ),
      Option.getOrUndefined
    )
  },
  memory: (memory) => {
    const before = Windows.ordered(prices.rowsIn(memory), symbol).filter(({ minute }) => minute < beforeMinute)
    const last = before.at(-1)
    if (last === undefined) return undefined
    return {
      oracleE8: last.oracleCloseE8,
      markE8: last.markCloseE8,
      openInterestLots: last.openInterestCloseLots,
      middleHalfTicks: before.findLast((row) => row.middleCloseHalfTicks !== 0)?.middleCloseHalfTicks ?? 0
    }
  }
})

const positioned = Table.selection({
  position: number("p.seq"),
  minute: { schema: Schema.NullOr(Schema.Number), expression: "m.minute::float8" },
  markE8: { schema: Schema.NullOr(Schema.Number), expression: "m.mark_close_e8::float8" }
})

/** Mark prices by minute, and the log position up to which they are complete. */
export interface Marks {
  readonly position: number
  readonly marks: ReadonlyArray<{ readonly minute: number; readonly markE8: number }>
}

/**
 * Returns the mark price at the end of a minute and those of later minutes, earliest first. Reads prices and position
 * from one snapshot, so that the prices contain no event after the position.
 */
export const marksFrom = (symbol: MarketSymbol, minute: number): ReadTable.ReadQuery<Marks> => ({
  sql: (sql) => {
    const rows = sql`select minute, mark_close_e8 from price_minute where symbol = ${symbol}`
    return Effect.map(
      positioned.all(
        sql`
        select ${positioned.columns}
        from (select coalesce(max(seq), 0) as seq from projection where position = ${positionOf(projection, symbol)}) p
        left join (
          (${rows} and minute <= ${minute}::int order by minute desc limit 1)
          union all
          (${rows} and minute > ${minute}::int)
        ) m on true
        order by m.minute`.unprepared
      ),
      (rows) => ({
        position: rows[0]!.position,
        marks: rows.flatMap(({ markE8, minute }) => (minute === null || markE8 === null ? [] : [{ minute, markE8 }]))
      })
    )
  },
  memory: (memory) => {
    const all = Windows.ordered(prices.rowsIn(memory), symbol)
    const stood = all.findLastIndex((row) => row.minute <= minute)
    return {
      position: memory.positions.get(positionOf(projection, symbol)) ?? 0,
      marks: all.slice(Math.max(stood, 0)).map(({ markCloseE8, minute }) => ({ minute, markE8: markCloseE8 }))
    }
  }
})

const firstOf = Table.selection({ minute: { schema: Schema.NullOr(Schema.Number), expression: "min(minute)" } })

/** Returns the minute of a market's first price, or undefined before it. */
export const firstMinute = (symbol: MarketSymbol): ReadTable.ReadQuery<number | undefined> => ({
  sql: (sql) =>
    Effect.map(
      firstOf.all(sql`select ${firstOf.columns} from price_minute where symbol = ${symbol}`.unprepared),
      (rows) => rows[0]?.minute ?? undefined
    ),
  memory: (memory) => Windows.ordered(prices.rowsIn(memory), symbol)[0]?.minute
})

const lastOf = Table.selection({ minute: { schema: Schema.NullOr(Schema.Number), expression: "max(minute)" } })

/** Returns the minute of a market's latest price, or undefined before the first. */
export const lastMinute = (symbol: MarketSymbol): ReadTable.ReadQuery<number | undefined> => ({
  sql: (sql) =>
    Effect.map(
      lastOf.all(sql`select ${lastOf.columns} from price_minute where symbol = ${symbol}`.unprepared),
      (rows) => rows[0]?.minute ?? undefined
    ),
  memory: (memory) => Windows.ordered(prices.rowsIn(memory), symbol).at(-1)?.minute
})

const known = Table.selection({
  startMinute: number("w.start"),
  openInterestLots: number("price_minute.open_interest_close_lots"),
  markE8: number("price_minute.mark_close_e8")
})
/** Open interest and mark price at the start of a window. */
export type KnownOpenInterest = Table.Row<typeof known>

/** Returns the open interest, earliest first; omits windows without a change. */
export const openInterestAt = (windows: Windows.Windows): ReadTable.ReadQuery<ReadonlyArray<KnownOpenInterest>> => ({
  sql: (sql) =>
    known.all(
      sql`
      select ${known.columns} from (${Windows.lastKnown(sql, "price_minute", windows, "after")}) w
      join price_minute on price_minute.symbol = ${windows.symbol} and price_minute.minute = w.minute
      order by w.start`.unprepared
    ),
  memory: (memory) =>
    Windows.lastKnownOf(prices.rowsIn(memory), windows, "after").map(
      ({ markCloseE8, openInterestCloseLots, startMinute }) => ({
        startMinute,
        openInterestLots: openInterestCloseLots,
        markE8: markCloseE8
      })
    )
})
