/**
 * Accounts' positions at the end of each quarter-hour in which they changed, and mark prices at the end of each
 * quarter-hour. The state at a moment is the last row before it (rule 8.12).
 */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import * as Dividend from "@venue/domain/Dividend"
import * as Funding from "@venue/domain/Funding"
import type { Instrument } from "@venue/domain/Instrument"
import { type MarketEvent, marketStream, type Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Position from "@venue/domain/Position"
import { quarterHourOf } from "@venue/domain/QuarterHour"
import * as Split from "@venue/domain/Split"
import { bigint, integer, of } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import type { SqlClient } from "effect/sql"
import type { MarketGroup, MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Quantities are in lots, money in 1e-6 USD; the values equal the ledger's. */
const holdingTable = Table.make("holding", {
  symbol: of("text", MarketSymbol),
  accountId: of("text", AccountId),
  /** Number of the quarter-hour since 1970-01-01 00:00 UTC. */
  quarterHour: integer,
  quantityLots: bigint,
  cashFlow: bigint,
  basis: bigint,
  fees: bigint,
  funding: bigint,
  rewards: bigint
})
export type Holding = Table.Row<typeof holdingTable>

export const holdings = ReadTable.make(holdingTable, {
  key: ({ accountId, quarterHour, symbol }) => `${symbol} ${accountId} ${quarterHour}`,
  merge: {
    rows: (_before, next) => next,
    conflict: `on conflict (symbol, account_id, quarter_hour) do update set
      quantity_lots = excluded.quantity_lots, cash_flow = excluded.cash_flow, basis = excluded.basis,
      fees = excluded.fees, funding = excluded.funding, rewards = excluded.rewards`
  }
})

/** Last fresh mark price (rule 3.5), in 1e-8 USD. It differs from the minute's price while the mark price is stale. */
const markTable = Table.make("mark_quarter_hour", {
  symbol: of("text", MarketSymbol),
  quarterHour: integer,
  markE8: bigint
})

export const marks = ReadTable.make(markTable, {
  key: ({ quarterHour, symbol }) => `${symbol} ${quarterHour}`,
  merge: {
    rows: (_before, next) => next,
    conflict: "on conflict (symbol, quarter_hour) do update set mark_e8 = excluded.mark_e8"
  }
})

export const group: MarketGroup = { group: "holding", stream: marketStream }

export const projection = (instrument: Instrument): MarketProjection => ({
  ...group,
  writes: (symbol, rows) => {
    const events = rows.flatMap((row) => row.events)
    const marked = marks.write(
      events.flatMap((event) =>
        event._tag === "Priced"
          ? [{ symbol, quarterHour: quarterHourOf(event.atMillis), markE8: event.freshMarkE8 }]
          : []
      )
    )
    const booked = events.filter(isBooked)
    if (booked.length === 0) return [marked]
    return ReadTable.map(lastOf(symbol, accountsOf(booked)), (before) => [
      holdings.write(rowsOf(instrument, before, booked)),
      marked
    ])
  }
})

type Booked = Extract<MarketEvent, { readonly _tag: "Traded" | "Funded" | "DividendPaid" | "ContractSplit" }>

const isBooked = (event: MarketEvent): event is Booked => {
  switch (event._tag) {
    case "Traded":
    case "DividendPaid":
    case "ContractSplit":
      return true
    case "Funded":
      return event.rateE12 !== 0
    default:
      return false
  }
}

type Positions = Map<AccountId, Position.Position>

/** Applies an event to the positions and returns the accounts whose position changed. */
const book = (positions: Positions, instrument: Instrument, event: Booked): Iterable<AccountId> => {
  switch (event._tag) {
    case "Traded":
      return trade(positions, event)
    case "Funded":
      return all(positions, (position) => Funding.book(position, instrument, event))
    case "DividendPaid":
      return all(positions, (position) => Dividend.book(position, instrument, event.perUnitE8))
    case "ContractSplit": {
      const changed = all(positions, (position) => Split.book(position, instrument, event))
      if (event.fundLots === 0) return changed
      const { cost, lots, side } = Split.oddLots(instrument, event)
      const fund = positionOf(positions, Split.fundAccountId)
      Position.fill(fund, side, lots, Math.abs(cost), 0)
      Position.fund(fund, cost)
      return [...changed, Split.fundAccountId]
    }
  }
}

const trade = (positions: Positions, { maker, notional, quantityLots, taker }: Traded): Iterable<AccountId> => {
  const changed = new Set<AccountId>()
  for (const { fee, order, reward } of [maker, taker]) {
    Position.fill(positionOf(positions, order.accountId), order.side, quantityLots, notional, fee)
    changed.add(order.accountId)
    if (reward === null) continue
    const owner = primaryAccountOf(reward.ownerId)
    Position.earn(positionOf(positions, owner), reward.amount)
    changed.add(owner)
  }
  return changed
}

/** Changes all positions; skips accounts without a position. */
const all = (positions: Positions, change: (position: Position.Position) => void): ReadonlyArray<AccountId> => {
  const holding = [...positions].filter(([, { quantityLots }]) => quantityLots !== 0)
  return holding.map(([accountId, position]) => {
    change(position)
    return accountId
  })
}

const positionOf = (positions: Positions, accountId: AccountId): Position.Position => {
  const known = positions.get(accountId)
  if (known !== undefined) return known
  const position = Position.flat()
  positions.set(accountId, position)
  return position
}

const rowsOf = (
  instrument: Instrument,
  before: ReadonlyArray<Holding>,
  events: ReadonlyArray<Booked>
): ReadonlyArray<Holding> => {
  const { symbol } = instrument
  const positions: Positions = new Map(
    before.map(({ accountId, quarterHour: _quarterHour, symbol: _symbol, ...position }) => [accountId, position])
  )
  return events.flatMap((event) => {
    const quarterHour = quarterHourOf(event.atMillis)
    return Array.from(book(positions, instrument, event), (accountId) => ({
      symbol,
      accountId,
      quarterHour,
      ...positions.get(accountId)!
    }))
  })
}

/** Returns the accounts whose stored rows are needed, or "all" if an event affects every account. */
const accountsOf = (events: ReadonlyArray<Booked>): ReadonlyArray<AccountId> | "all" => {
  const accountIds = new Set<AccountId>()
  for (const event of events) {
    if (event._tag !== "Traded") return "all"
    for (const { order, reward } of [event.maker, event.taker]) {
      accountIds.add(order.accountId)
      if (reward !== null) accountIds.add(primaryAccountOf(reward.ownerId))
    }
  }
  return [...accountIds]
}

/** Returns the last row of each of these accounts; omits accounts without a row. */
const lastOf = (
  symbol: MarketSymbol,
  accountIds: ReadonlyArray<AccountId> | "all"
): ReadTable.ReadQuery<ReadonlyArray<Holding>> => ({
  sql: (sql) =>
    holdingTable.all(
      sql`
      ${accountIds === "all" ? everybody(sql, symbol) : named(sql, accountIds)}
      select ${holdingTable.columns} from account_held a
      cross join lateral (
        select * from holding where symbol = ${symbol} and account_id = a.account_id
        order by quarter_hour desc limit 1
      ) holding`.unprepared
    ),
  memory: (memory) => {
    const last = new Map<AccountId, Holding>()
    for (const row of holdings.rowsIn(memory)) {
      if (row.symbol !== symbol || (accountIds !== "all" && !accountIds.includes(row.accountId))) continue
      const known = last.get(row.accountId)
      if (known === undefined || known.quarterHour < row.quarterHour) last.set(row.accountId, row)
    }
    return [...last.values()]
  }
})

const named = (sql: SqlClient.SqlClient, accountIds: ReadonlyArray<AccountId>) =>
  sql`with account_held (account_id) as (values ${sql.csv(accountIds.map((accountId) => sql`(${accountId}::text collate "C")`))})`

/** Jumps from account to account in the index, because each account has many rows. */
const everybody = (sql: SqlClient.SqlClient, symbol: MarketSymbol) => sql`
  with recursive account_held (account_id) as (
    (select account_id from holding where symbol = ${symbol} order by account_id limit 1)
    union all
    select (
      select h.account_id from holding h where h.symbol = ${symbol} and h.account_id > a.account_id
      order by h.account_id limit 1
    ) from account_held a where a.account_id is not null
  )`
