/** Order book trades of a symbol, summed per minute. Prices are in ticks, quantities in lots, and money in 1e-6 USD. */
import * as DomainCandle from "@venue/domain/Candle"
import { marketStream, type MarketEvent } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { bigint, integer, numeric, of, orNull } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Effect, Option, Record, Schema } from "effect"
import { type MarketProjection, positionOf } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"
import * as Windows from "./Windows.ts"

const columns = {
  symbol: of("text", MarketSymbol),
  minute: integer,
  openTicks: bigint,
  highTicks: bigint,
  lowTicks: bigint,
  closeTicks: bigint,
  volumeLots: numeric,
  notional: numeric,
  trades: bigint,
  /** Volume bought by takers, in lots; takers sold the remaining volume. */
  takerBuyLots: numeric,
  takerBuyNotional: numeric
}
const candleTable = Table.make("candle_minute", columns)
export type CandleMinute = Table.Row<typeof candleTable>

/** Trades within a time window; a window without trades has no candle. */
export interface Candle extends Omit<CandleMinute, "symbol" | "minute"> {
  readonly startMinute: number
}

/** Merges two adjacent windows' candles. Rows arrive in trade order, so the first open and the last close apply. */
export const merged = <Row extends Omit<CandleMinute, "symbol" | "minute">>(before: Row, next: Row): Row => ({
  ...DomainCandle.merged(before, next),
  takerBuyLots: before.takerBuyLots + next.takerBuyLots,
  takerBuyNotional: before.takerBuyNotional + next.takerBuyNotional
})

const candles = ReadTable.make(candleTable, {
  key: ({ minute, symbol }) => `${symbol} ${minute}`,
  maxInMemory: 100_000,
  merge: {
    rows: merged,
    conflict: `on conflict (symbol, minute) do update set
      high_ticks = greatest(candle_minute.high_ticks, excluded.high_ticks),
      low_ticks = least(candle_minute.low_ticks, excluded.low_ticks),
      close_ticks = excluded.close_ticks,
      volume_lots = candle_minute.volume_lots + excluded.volume_lots,
      notional = candle_minute.notional + excluded.notional,
      trades = candle_minute.trades + excluded.trades,
      taker_buy_lots = candle_minute.taker_buy_lots + excluded.taker_buy_lots,
      taker_buy_notional = candle_minute.taker_buy_notional + excluded.taker_buy_notional`
  }
})

export const projection: MarketProjection = {
  group: "candle",
  stream: marketStream,
  writes: (symbol, rows) => [
    candles.write(rows.flatMap(({ events }) => events.flatMap((event) => rowsOf(symbol, event))))
  ]
}

/** Charts exclude trades off the order book. */
const rowsOf = (symbol: MarketSymbol, event: MarketEvent): ReadonlyArray<CandleMinute> => {
  if (event._tag !== "Traded" || event.offBook !== undefined) return []
  const candle = DomainCandle.ofTrade(event)
  const isBuy = event.taker.order.side === "BUY"
  return [
    {
      symbol,
      minute: minuteOf(event.atMillis),
      ...candle,
      takerBuyLots: isBuy ? candle.volumeLots : 0n,
      takerBuyNotional: isBuy ? candle.notional : 0n
    }
  ]
}

const sums = Table.selection<Candle>({
  startMinute: { schema: Schema.Number, expression: "w.start" },
  openTicks: { schema: Schema.Number, expression: "first.open_ticks::float8" },
  highTicks: { schema: Schema.Number, expression: "w.high::float8" },
  lowTicks: { schema: Schema.Number, expression: "w.low::float8" },
  closeTicks: { schema: Schema.Number, expression: "last.close_ticks::float8" },
  volumeLots: { schema: numeric.schema, expression: "w.volume::text" },
  notional: { schema: numeric.schema, expression: "w.notional::text" },
  trades: { schema: Schema.Number, expression: "w.trades::float8" },
  takerBuyLots: { schema: numeric.schema, expression: "w.buy_lots::text" },
  takerBuyNotional: { schema: numeric.schema, expression: "w.buy_notional::text" }
})

/** Returns the windows' candles, earliest first. */
export const ofWindows = (windows: Windows.Windows): ReadTable.ReadQuery<ReadonlyArray<Candle>> => ({
  sql: (sql) => {
    const { beforeMinute, fromMinute, minutes, symbol } = windows
    return sums.all(
      sql`
      with w as (
        select minute / ${minutes}::int * ${minutes}::int as start, min(minute) as first, max(minute) as last,
          max(high_ticks) as high, min(low_ticks) as low, sum(volume_lots) as volume, sum(notional) as notional,
          sum(trades) as trades, sum(taker_buy_lots) as buy_lots, sum(taker_buy_notional) as buy_notional
        from candle_minute
        where symbol = ${symbol} and minute >= ${fromMinute}::int and minute < ${beforeMinute}::int
        group by 1
      )
      select ${sums.columns} from w
      cross join lateral (${Windows.rowAt(sql, "candle_minute", symbol, "first")}) first
      cross join lateral (${Windows.rowAt(sql, "candle_minute", symbol, "last")}) last
      order by w.start`.unprepared
    )
  },
  memory: (memory) =>
    Windows.grouped(candles.rowsIn(memory), windows).map(([startMinute, rows]) => {
      const { minute: _minute, symbol: _symbol, ...candle } = rows.reduce(merged)
      return { startMinute, ...candle }
    })
})

const notionalSums = Table.selection({
  startMinute: { schema: Schema.Number, expression: "start" },
  notional: { schema: numeric.schema, expression: "sum(notional)::text" }
})

/** Returns the value traded in each window over all these symbols, in 1e-6 USD, keyed by the window's start. */
export const notionals = (
  symbols: ReadonlyArray<MarketSymbol>,
  { beforeMinute, fromMinute, minutes }: Windows.Windows
): ReadTable.ReadQuery<ReadonlyMap<number, bigint>> => ({
  sql: (sql) =>
    Effect.map(
      notionalSums.all(
        sql`
        select ${notionalSums.columns} from (
          select minute / ${minutes}::int * ${minutes}::int as start, notional from candle_minute
          where symbol in ${sql.in(symbols)} and minute >= ${fromMinute}::int and minute < ${beforeMinute}::int
        ) traded
        group by start`.unprepared
      ),
      (rows) => new Map(rows.map(({ notional, startMinute }) => [startMinute, notional]))
    ),
  memory: (memory) => {
    const byStart = new Map<number, bigint>()
    for (const { minute, notional, symbol } of candles.rowsIn(memory)) {
      if (!symbols.includes(symbol) || minute < fromMinute || minute >= beforeMinute) continue
      const start = minute - (minute % minutes)
      byStart.set(start, (byStart.get(start) ?? 0n) + notional)
    }
    return byStart
  }
})

/** Returns the last minute with trades before the given minute. */
export const lastBefore = (
  symbol: MarketSymbol,
  beforeMinute: number
): ReadTable.ReadQuery<CandleMinute | undefined> => ({
  sql: (sql) =>
    Effect.map(
      candleTable.first(
        sql`
          select ${candleTable.columns} from candle_minute
          where symbol = ${symbol} and minute < ${beforeMinute}::int
          order by minute desc limit 1`.unprepared
      ),
      Option.getOrUndefined
    ),
  memory: (memory) => Windows.ordered(candles.rowsIn(memory), symbol).findLast(({ minute }) => minute < beforeMinute)
})

/** The row's columns are nullable, so that the query returns the position even without a row. */
const withPosition = Table.make(
  "candle_minute",
  Record.map(columns, (column) => orNull<unknown>(column))
).with<{ readonly position: number }>({ position: { schema: Schema.Number, expression: "p.seq::float8" } })

/** Candles after the given minute, earliest first, and the log position up to which they are complete. */
export interface Recent {
  readonly position: number
  readonly candles: ReadonlyArray<CandleMinute>
}

/** Reads rows and position from one snapshot, so that the rows contain no event after the position. */
export const recent = (symbol: MarketSymbol, afterMinute: number): ReadTable.ReadQuery<Recent> => ({
  sql: (sql) =>
    Effect.map(
      withPosition.all(
        sql`
          select ${withPosition.columns}
          from (select coalesce(max(seq), 0) as seq from projection where position = ${positionOf(projection, symbol)}) p
          left join candle_minute on candle_minute.symbol = ${symbol} and candle_minute.minute > ${afterMinute}::int
          order by candle_minute.minute`.unprepared
      ),
      (rows) => ({
        position: rows[0]!.position,
        candles: rows.flatMap(({ position: _position, ...row }) => (row.symbol === null ? [] : [row as CandleMinute]))
      })
    ),
  memory: (memory) => ({
    position: memory.positions.get(positionOf(projection, symbol)) ?? 0,
    candles: Windows.ordered(candles.rowsIn(memory), symbol).filter(({ minute }) => minute > afterMinute)
  })
})
