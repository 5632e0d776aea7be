/** Trades as an account sees them: a row for each side. */
import type { Traded } from "@venue/domain/Market"
import type { OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import type { SqlClient } from "effect/sql"
import * as Bulk from "@venue/postgres/Bulk"
import { pageOf } from "@venue/postgres/Page"

/** Prices in ticks, quantities in lots, money in 1e-6 USD. */
export interface TradeRow {
  readonly symbol: string
  /** 1, 2, 3 … within the market. */
  readonly number: number
  readonly tradeId: string
  readonly side: Side
  readonly aggressorSide: Side
  readonly accountId: string
  readonly userId: string
  readonly orderId: string
  readonly clientOrderId: string
  readonly price: number
  readonly quantity: number
  readonly orderPrice: number
  /** Of the order, after this fill. */
  readonly remaining: number
  readonly fee: number
  readonly realised: number
  readonly marginUsed: number
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  readonly origin: OrderOrigin
  readonly builderCode: string
  readonly liquidation: "NONE"
  readonly executionType: "NEW"
  readonly atMillis: number
}

export interface TradeQuery {
  readonly accountId: string
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly orderType?: OrderType | undefined
  readonly side?: Side | undefined
  /** Included. */
  readonly startMillis?: number | undefined
  /** Not included. */
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

export const rowsOf = (symbol: string, trade: Traded): ReadonlyArray<TradeRow> => [
  rowOf(symbol, trade, "taker"),
  rowOf(symbol, trade, "maker")
]

const rowOf = (symbol: string, trade: Traded, role: "maker" | "taker"): TradeRow => {
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
    price: trade.price,
    quantity: trade.quantity,
    orderPrice: order.price,
    remaining: order.remaining,
    fee,
    realised,
    marginUsed,
    orderType: order.type,
    timeInForce: order.timeInForce,
    origin: order.origin,
    builderCode: order.builderCode,
    liquidation: "NONE",
    executionType: "NEW",
    atMillis: trade.atMillis
  }
}

const columns: ReadonlyArray<Bulk.Column<TradeRow>> = [
  { name: "symbol", type: "text", of: (row) => row.symbol },
  { name: "number", type: "bigint", of: (row) => row.number },
  { name: "side", type: "text", of: (row) => row.side },
  { name: "aggressor_side", type: "text", of: (row) => row.aggressorSide },
  { name: "trade_id", type: "text", of: (row) => row.tradeId },
  { name: "account_id", type: "text", of: (row) => row.accountId },
  { name: "user_id", type: "text", of: (row) => row.userId },
  { name: "order_id", type: "text", of: (row) => row.orderId },
  { name: "client_order_id", type: "text", of: (row) => row.clientOrderId },
  { name: "price", type: "bigint", of: (row) => row.price },
  { name: "quantity", type: "bigint", of: (row) => row.quantity },
  { name: "order_price", type: "bigint", of: (row) => row.orderPrice },
  { name: "remaining", type: "bigint", of: (row) => row.remaining },
  { name: "fee", type: "bigint", of: (row) => row.fee },
  { name: "realised", type: "bigint", of: (row) => row.realised },
  { name: "margin_used", type: "bigint", of: (row) => row.marginUsed },
  { name: "order_type", type: "text", of: (row) => row.orderType },
  { name: "time_in_force", type: "text", of: (row) => row.timeInForce },
  { name: "origin", type: "text", of: (row) => row.origin },
  { name: "builder_code", type: "text", of: (row) => row.builderCode },
  { name: "liquidation", type: "text", of: (row) => row.liquidation },
  { name: "execution_type", type: "text", of: (row) => row.executionType },
  { name: "at_millis", type: "bigint", of: (row) => row.atMillis }
]

export const batch = (rows: ReadonlyArray<TradeRow>) => Bulk.batch("trade", columns, rows)

/** Newest first. Integers are below 2^53, so a double carries them. */
export const page = (sql: SqlClient.SqlClient, query: TradeQuery) => {
  const { limit, offset } = pageOf(query)
  const wanted = [sql`account_id = ${Bulk.storable(query.accountId)}`]
  if (query.symbol !== undefined) wanted.push(sql`symbol = ${Bulk.storable(query.symbol)}`)
  if (query.orderId !== undefined) wanted.push(sql`order_id = ${Bulk.storable(query.orderId)}`)
  if (query.orderType !== undefined) wanted.push(sql`order_type = ${query.orderType}`)
  if (query.side !== undefined) wanted.push(sql`side = ${query.side}`)
  if (query.startMillis !== undefined) wanted.push(sql`at_millis >= ${query.startMillis}`)
  if (query.endMillis !== undefined) wanted.push(sql`at_millis < ${query.endMillis}`)
  return sql<TradeRow>`
    select symbol, number::float8 as number, trade_id as "tradeId", side, aggressor_side as "aggressorSide",
      account_id as "accountId", user_id as "userId", order_id as "orderId", client_order_id as "clientOrderId",
      price::float8 as price, quantity::float8 as quantity, order_price::float8 as "orderPrice",
      remaining::float8 as remaining, fee::float8 as fee, realised::float8 as realised,
      margin_used::float8 as "marginUsed", order_type as "orderType", time_in_force as "timeInForce", origin,
      builder_code as "builderCode", liquidation, execution_type as "executionType", at_millis::float8 as "atMillis"
    from trade
    where ${sql.and(wanted)}
    order by at_millis desc, symbol, trade.number desc
    limit ${limit} offset ${offset}`.unprepared
}

/** The same page of rows in memory. */
export const pageIn = (rows: ReadonlyArray<TradeRow>, query: TradeQuery): ReadonlyArray<TradeRow> => {
  const { limit, offset } = pageOf(query)
  return rows
    .filter(
      (row) =>
        row.accountId === query.accountId &&
        (query.symbol === undefined || row.symbol === query.symbol) &&
        (query.orderId === undefined || row.orderId === query.orderId) &&
        (query.orderType === undefined || row.orderType === query.orderType) &&
        (query.side === undefined || row.side === query.side) &&
        (query.startMillis === undefined || row.atMillis >= query.startMillis) &&
        (query.endMillis === undefined || row.atMillis < query.endMillis)
    )
    .sort(
      (a, b) => b.atMillis - a.atMillis || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : b.number - a.number)
    )
    .slice(offset, offset + limit)
}
