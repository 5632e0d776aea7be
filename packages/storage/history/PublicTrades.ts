/** Public trades: one row per trade, with the taker's side. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import { Effect } from "effect"
import type * as ReadTable from "./ReadTable.ts"
import { type TradeRow, trades, tradeTable } from "./Trades.ts"

export interface PublicTradeQuery extends Page {
  readonly symbols: ReadonlyArray<MarketSymbol>
}

export interface PublicTradePage {
  /** Newest first. */
  readonly rows: ReadonlyArray<TradeRow>
  /** Number of all trades in these symbols, at most `maxCount`. */
  readonly count: number
}

/** Reads each market backwards by primary key only as far as needed, because trades are numbered by time. */
export const page = ({ symbols, ...pageQuery }: PublicTradeQuery): ReadTable.ReadQuery<PublicTradePage> => {
  const { limit, offset } = pageOf(pageQuery)
  return {
    sql: Effect.fnUntraced(function* (sql) {
      const newest = (count: number) => sql`
        from unnest(array[${sql.csv(symbols.map((symbol) => sql`${symbol}::text`))}]) listed(symbol)
        cross join lateral (
          select * from trade where trade.symbol = listed.symbol and side = aggressor_side
          order by number desc limit ${count}
        ) trade`
      const rows = yield* tradeTable.all(
        sql`
          select ${tradeTable.columns} ${newest(limit + offset)}
          order by trade.at_millis desc, trade.symbol desc, trade.number desc limit ${limit} offset ${offset}`
          .unprepared
      )
      const last = yield* tradeTable.all(sql`select ${tradeTable.columns} ${newest(1)}`.unprepared)
      return { rows, count: countOf(last) }
    }),
    memory: (memory) => {
      const taken = trades
        .rowsIn(memory)
        .filter(({ aggressorSide, side, symbol }) => side === aggressorSide && symbols.includes(symbol))
        .toSorted((a, b) => b.number - a.number)
      const newest = (count: number) =>
        symbols.flatMap((symbol) => taken.filter((row) => row.symbol === symbol).slice(0, count))
      const rows = newest(limit + offset).toSorted(newestFirst)
      return { rows: rows.slice(offset, offset + limit), count: countOf(newest(1)) }
    }
  }
}

/**
 * Adds up the trade numbers of each market's newest trade. A market numbers its trades from 1, so this is the count
 * of all trades.
 */
const countOf = (last: ReadonlyArray<TradeRow>): number =>
  Math.min(
    last.reduce((sum, { number }) => sum + number, 0),
    Count.maxCount
  )

const newestFirst = (a: TradeRow, b: TradeRow): number =>
  b.atMillis - a.atMillis || (a.symbol === b.symbol ? b.number - a.number : a.symbol < b.symbol ? 1 : -1)
