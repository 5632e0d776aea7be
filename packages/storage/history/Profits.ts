/** An account's positions at past moments, valued at the mark prices of those moments. */
import type { AccountId } from "@venue/domain/AccountId"
import { type Instrument, valueDown } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { numeric, storable } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { type Holding, holdings, marks } from "./Holdings.ts"
import * as Moments from "./Moments.ts"
import type { Memory, ReadQuery } from "./ReadTable.ts"

export interface ProfitQuery {
  readonly accountId: AccountId
  readonly instruments: ReadonlyArray<Instrument>
  readonly moments: Moments.Moments
}

const number = (expression: string) => ({ schema: Schema.Number, expression: `${expression}::float8` })

const states = Table.selection({
  moment: number("held.moment"),
  symbol: { schema: MarketSymbol, expression: "held.symbol" },
  quantityLots: number("held.quantity_lots"),
  cashFlow: number("held.cash_flow"),
  basis: number("held.basis"),
  fees: number("held.fees"),
  funding: number("held.funding"),
  rewards: number("held.rewards"),
  markE8: { schema: Schema.NullOr(Schema.Number), expression: "held.mark_e8::float8" }
})
/** An account's position in a symbol at a moment. A position without a mark price is valued at cost. */
export type State = Table.Row<typeof states>

/** Returns a position's value in 1e-6 USD, rounded down as in the ledger. */
export const valueOf = (instrument: Instrument, { basis, markE8, quantityLots }: State): number =>
  markE8 === null ? basis : valueDown(instrument, quantityLots, markE8)

/**
 * Returns the positions, ordered by moment and symbol; omits symbols that the account did not hold yet. Beyond
 * `maxRows` positions, returns only the newest complete moments.
 */
export const at = (query: ProfitQuery, maxRows: number): ReadQuery<ReadonlyArray<State>> => ({
  sql: (sql) =>
    Effect.map(
      states.all(
        sql`
          select ${states.columns} from (${held(sql, query)}) held
          order by held.moment desc, held.symbol desc limit ${maxRows + 1}`.unprepared
      ),
      (newestFirst) => wholeMoments(newestFirst.toReversed(), maxRows)
    ),
  memory: (memory) => wholeMoments(statesIn(memory, query).slice(-maxRows - 1), maxRows)
})

/** Drops the earliest moment if there are more than `maxRows` positions, because it might be incomplete. */
const wholeMoments = (states: ReadonlyArray<State>, maxRows: number): ReadonlyArray<State> =>
  states.length <= maxRows ? states : states.filter(({ moment }) => moment !== states[0]!.moment)

const sums = Table.selection({
  moment: number("t.moment"),
  profit: { schema: numeric.schema, expression: `coalesce(sum(${profitExpression()}), 0)::text` },
  rewards: { schema: numeric.schema, expression: "coalesce(sum(held.rewards), 0)::text" }
})
/** An account's profit (realised and unrealised, plus funding, minus fees) and its builder rewards, all in 1e-6 USD. */
export type Profit = Table.Row<typeof sums>

/** Returns each moment's sums over all symbols. */
export const summed = (query: ProfitQuery): ReadQuery<ReadonlyArray<Profit>> => ({
  sql: (sql) =>
    sums.all(
      sql`
      select ${sums.columns} from ${Moments.table(sql, query.moments)} t(moment)
      left join (${held(sql, query)}) held on held.moment = t.moment
      group by t.moment order by t.moment`.unprepared
    ),
  memory: (memory) => {
    const instruments = new Map(query.instruments.map((instrument) => [instrument.symbol, instrument]))
    const profits = new Map(
      Moments.all(query.moments).map((moment): [number, Profit] => [moment, { moment, profit: 0n, rewards: 0n }])
    )
    for (const state of statesIn(memory, query)) {
      const { cashFlow, fees, funding, moment, rewards } = state
      const before = profits.get(moment)!
      const profit = BigInt(cashFlow + valueOf(instruments.get(state.symbol)!, state) - fees + funding)
      profits.set(moment, { moment, profit: before.profit + profit, rewards: before.rewards + BigInt(rewards) })
    }
    return [...profits.values()]
  }
})

/** Multiplies by a numeric constant, which is exact. A quotient would be rounded before `floor`. */
function profitExpression(): string {
  const value = "floor(held.quantity_lots::numeric * held.lot_e8 * held.mark_e8 * 0.0000000001)"
  return `held.cash_flow + coalesce(${value}, held.basis) - held.fees + held.funding`
}

/** Needs two index look-ups per moment and symbol, however long the history is. */
const held = (sql: SqlClient.SqlClient, { accountId, instruments, moments }: ProfitQuery) => {
  const account = storable(accountId)
  const listed = instruments.map(({ lotE8, symbol }) => sql`(${symbol}::text collate "C", ${lotE8}::int)`)
  return sql`
    with listed (symbol, lot_e8) as (
      select * from (values ${sql.csv(listed)}) l(symbol, lot_e8)
      where exists (select from holding where holding.symbol = l.symbol and holding.account_id = ${account})
    )
    select t.moment, l.lot_e8, h.*, m.mark_e8
    from ${Moments.table(sql, moments)} t(moment) cross join listed l
    cross join lateral (
      select * from holding where symbol = l.symbol and account_id = ${account} and quarter_hour < t.moment
      order by quarter_hour desc limit 1
    ) h
    left join lateral (
      select mark_e8 from mark_quarter_hour where symbol = l.symbol and quarter_hour < t.moment
      order by quarter_hour desc limit 1
    ) m on true`
}

const statesIn = (memory: Memory, { accountId, instruments, moments }: ProfitQuery): ReadonlyArray<State> => {
  const held = Map.groupBy(
    holdings.rowsIn(memory).filter((row) => row.accountId === accountId),
    ({ symbol }) => symbol
  )
  const marked = Map.groupBy(marks.rowsIn(memory), ({ symbol }) => symbol)
  const symbols = instruments.map(({ symbol }) => symbol).toSorted()
  return Moments.all(moments).flatMap((moment) =>
    symbols.flatMap((symbol) => {
      const row = lastBefore(held.get(symbol), moment)
      if (row === undefined) return []
      const mark = lastBefore(marked.get(symbol), moment)
      return [stateOf(moment, row, mark?.markE8 ?? null)]
    })
  )
}

const stateOf = (moment: number, holding: Holding, markE8: number | null): State => {
  const { accountId: _accountId, quarterHour: _quarterHour, ...state } = holding
  return { ...state, moment, markE8 }
}

const lastBefore = <Row extends { readonly quarterHour: number }>(
  rows: ReadonlyArray<Row> | undefined,
  moment: number
): Row | undefined => {
  let last: Row | undefined
  for (const row of rows ?? []) {
    if (row.quarterHour < moment && (last === undefined || row.quarterHour > last.quarterHour)) last = row
  }
  return last
}
