/** Trades by account; each trade has one row for each side. */
import { AccountId } from "@venue/domain/AccountId"
import { ExecutionType, executionTypeOf, Liquidation, liquidationOf } from "@venue/domain/Execution"
import type { Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { UserId } from "@venue/domain/UserId"
import { bigint, of, storable, text } from "@venue/postgres/Column"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import type { SqlClient } from "effect/sql"
import * as HistoryList from "./HistoryList.ts"
import * as ReadTable from "./ReadTable.ts"
import { rowOrder } from "./RowOrder.ts"

/** Prices in ticks, quantities in lots, money in 1e-6 USD. */
export const tradeTable = Table.make("trade", {
  symbol: of("text", MarketSymbol),
  /** Number of the trade in its market, from 1. */
  number: bigint,
  side: of("text", Side),
  aggressorSide: of("text", Side),
  tradeId: text,
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  orderId: text,
  clientOrderId: text,
  price: bigint,
  quantity: bigint,
  orderPrice: bigint,
  /** Lots of the order left after this fill. */
  remaining: bigint,
  fee: bigint,
  realised: bigint,
  marginUsed: bigint,
  orderType: of("text", OrderType),
  timeInForce: of("text", TimeInForce),
  origin: of("text", OrderOrigin),
  builderCode: text,
  liquidation: of("text", Liquidation),
  executionType: of("text", ExecutionType),
  atMillis: bigint
})
export type TradeRow = Table.Row<typeof tradeTable>

export const trades = ReadTable.make(tradeTable, {
  key: ({ number, side, symbol }) => `${symbol} ${number} ${side}`,
  maxInMemory: 100_000
})

/** Unique, because users never trade with themselves, so no account has two rows of one trade. */
const order = rowOrder<TradeRow>("trade", ["atMillis", "symbol", "number"])

export interface TradeFilter {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
  readonly orderId?: string | undefined
  readonly orderType?: OrderType | undefined
  readonly side?: Side | undefined
  /** Time of the earliest trade, inclusive. */
  readonly startMillis?: number | undefined
  /** Time of the latest trade, exclusive. */
  readonly endMillis?: number | undefined
}

export interface TradeQuery extends TradeFilter, Page {}

export const rowsOf = (symbol: MarketSymbol, trade: Traded): ReadonlyArray<TradeRow> => [
  rowOf(symbol, trade, "taker"),
  rowOf(symbol, trade, "maker")
]

const rowOf = (symbol: MarketSymbol, trade: Traded, role: "maker" | "taker"): TradeRow => {
  const { fee, marginUsed, order, realised } = trade[role]
  return {
    symbol,
    number: trade.number,
    tradeId: trade.tradeId.text,
    side: order.side,
    aggressorSide: trade.taker.order.side,
    accountId: order.accountId,
    userId: order.userId,
    orderId: order.orderId.text,
    clientOrderId: order.clientOrderId,
    price: trade.priceTicks,
    quantity: trade.quantityLots,
    orderPrice: order.priceTicks,
    remaining: order.remainingLots,
    fee,
    realised,
    marginUsed,
    orderType: order.type,
    timeInForce: order.timeInForce,
    origin: order.origin,
    builderCode: order.builderCode,
    liquidation: liquidationOf(trade.offBook, order),
    executionType: executionTypeOf(trade.offBook, order),
    atMillis: trade.atMillis
  }
}

const wanted = (sql: SqlClient.SqlClient, filter: TradeFilter) => {
  const all = [sql`account_id = ${storable(filter.accountId)}`]
  if (filter.symbol !== undefined) all.push(sql`symbol = ${storable(filter.symbol)}`)
  if (filter.orderId !== undefined) all.push(sql`order_id = ${storable(filter.orderId)}`)
  if (filter.orderType !== undefined) all.push(sql`order_type = ${filter.orderType}`)
  if (filter.side !== undefined) all.push(sql`side = ${filter.side}`)
  if (filter.startMillis !== undefined) all.push(sql`at_millis >= ${filter.startMillis}`)
  if (filter.endMillis !== undefined) all.push(sql`at_millis < ${filter.endMillis}`)
  return sql.and(all)
}

/** In-memory equivalent of the SQL condition `wanted`. */
const isWanted =
  ({ accountId, endMillis, orderId, orderType, side, startMillis, symbol }: TradeFilter) =>
  (row: TradeRow): boolean =>
    row.accountId === accountId &&
    (symbol === undefined || row.symbol === symbol) &&
    (orderId === undefined || row.orderId === orderId) &&
    (orderType === undefined || row.orderType === orderType) &&
    (side === undefined || row.side === side) &&
    (startMillis === undefined || row.atMillis >= startMillis) &&
    (endMillis === undefined || row.atMillis < endMillis)

export const { count, listing, page } = HistoryList.make<TradeFilter, TradeRow, TradeRow>({
  table: "trade",
  order,
  wanted,
  isWanted,
  select: (sql, { limit, orderBy, where }) =>
    tradeTable.all(sql`select ${tradeTable.columns} from trade where ${where} order by ${orderBy} ${limit}`.unprepared),
  rowsIn: trades.rowsIn,
  viewsIn: (_memory, rows) => rows
})
