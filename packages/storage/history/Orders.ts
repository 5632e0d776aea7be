/** Orders that have ended: filled, cancelled or refused, and what they filled on the way. */
import type { MarketEvent, Refused } from "@venue/domain/Market"
import type { EndStatus, Order, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"
import type { SqlClient } from "effect/sql"
import * as Bulk from "@venue/postgres/Bulk"
import { pageOf } from "@venue/postgres/Page"
import type { TradeRow } from "./Trades.ts"

export type TerminalStatus = "FILLED" | EndStatus | OrderRefusal

export interface EndedOrder {
  readonly orderId: string
  readonly status: TerminalStatus
  readonly endedAtMillis: number
  readonly symbol: string
  readonly accountId: string
  readonly userId: string
  readonly clientOrderId: string
  readonly side: Side
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  /** In ticks; 0 of a refused order. */
  readonly price: number
  /** In lots; 0 of a refused order. */
  readonly quantity: number
  readonly reduceOnly: boolean
  /** Only of a refused order: the decimals the client wrote. */
  readonly askedPrice: number | null
  readonly askedQuantity: number | null
}

export interface HistoricOrder extends EndedOrder {
  readonly filledQuantity: number
  /** Filled as maker. */
  readonly passiveQuantity: number
  /** In ticks, with a fraction; null when nothing filled, as are the two times. */
  readonly averagePrice: number | null
  readonly firstFillAtMillis: number | null
  readonly lastFillAtMillis: number | null
}

export interface OrderQuery {
  readonly accountId: string
  readonly symbol?: string | undefined
  readonly clientOrderId?: string | undefined
  /** On the end of the order; included. */
  readonly startMillis?: number | undefined
  /** Not included. */
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** The orders an event ends. A refusal ends one if it refuses a place: a modify names its target, a cancel no side. */
export const endedBy = (symbol: string, event: MarketEvent): ReadonlyArray<EndedOrder> => {
  switch (event._tag) {
    case "Ended":
      return [ended(symbol, event.order, event.status, event.atMillis)]
    case "Traded":
      return [event.taker.order, event.maker.order]
        .filter((order) => order.remaining === 0)
        .map((order) => ended(symbol, order, "FILLED", event.atMillis))
    case "Refused":
      return refused(symbol, event)
    default:
      return []
  }
}

const ended = (symbol: string, order: Order, status: TerminalStatus, atMillis: number): EndedOrder => ({
  orderId: order.orderId.text,
  status,
  endedAtMillis: atMillis,
  symbol,
  accountId: order.accountId,
  userId: order.userId,
  clientOrderId: order.clientOrderId,
  side: order.side,
  orderType: order.type,
  timeInForce: order.timeInForce,
  price: order.price,
  quantity: order.quantity,
  reduceOnly: order.reduceOnly,
  askedPrice: null,
  askedQuantity: null
})

const refused = (symbol: string, { accountId, atMillis, commandId, echo, status, userId }: Refused) => {
  const { side, timeInForce, type } = echo
  if (echo.orderId !== "" || side === null || type === null || timeInForce === null) return []
  const order: EndedOrder = {
    orderId: commandId.text,
    // The wire has no name for a command that came too late.
    status: status === "EXPIRED" ? unprocessed : status,
    endedAtMillis: atMillis,
    symbol,
    accountId,
    userId,
    clientOrderId: echo.clientOrderId,
    side,
    orderType: type,
    timeInForce,
    price: 0,
    quantity: 0,
    reduceOnly: echo.reduceOnly,
    askedPrice: echo.price,
    askedQuantity: echo.quantity
  }
  return [order]
}

/** A very late repeat of a command is refused as expired: that never hides how its order really ended. */
const unprocessed = "REJECTED_FAILED_TO_PROCESS"

/** Keeps one end for each order. */
export const merge = (into: Map<string, EndedOrder>, orders: ReadonlyArray<EndedOrder>): void => {
  for (const order of orders) {
    const before = into.get(order.orderId)
    if (before === undefined || before.status === unprocessed) into.set(order.orderId, order)
  }
}

const columns: ReadonlyArray<Bulk.Column<EndedOrder>> = [
  { name: "order_id", type: "text", of: (row) => row.orderId },
  { name: "status", type: "text", of: (row) => row.status },
  { name: "ended_at_millis", type: "bigint", of: (row) => row.endedAtMillis },
  { name: "symbol", type: "text", of: (row) => row.symbol },
  { name: "account_id", type: "text", of: (row) => row.accountId },
  { name: "user_id", type: "text", of: (row) => row.userId },
  { name: "client_order_id", type: "text", of: (row) => row.clientOrderId },
  { name: "side", type: "text", of: (row) => row.side },
  { name: "order_type", type: "text", of: (row) => row.orderType },
  { name: "time_in_force", type: "text", of: (row) => row.timeInForce },
  { name: "price", type: "bigint", of: (row) => row.price },
  { name: "quantity", type: "bigint", of: (row) => row.quantity },
  { name: "reduce_only", type: "boolean", of: (row) => row.reduceOnly },
  { name: "asked_price", type: "float8", of: (row) => row.askedPrice },
  { name: "asked_quantity", type: "float8", of: (row) => row.askedQuantity }
]

const update = columns.map(({ name }) => `${name} = excluded.${name}`).join(", ")
const conflict = `on conflict (order_id) do update set ${update} where ended_order.status = '${unprocessed}'`

export const batch = (orders: Iterable<EndedOrder>) => Bulk.batch("ended_order", columns, Array.from(orders), conflict)

/** Newest first; the fills are summed for the orders of the page alone. */
export const page = (sql: SqlClient.SqlClient, query: OrderQuery) => {
  const { limit, offset } = pageOf(query)
  const wanted = [sql`account_id = ${Bulk.storable(query.accountId)}`]
  if (query.symbol !== undefined) wanted.push(sql`symbol = ${Bulk.storable(query.symbol)}`)
  if (query.clientOrderId !== undefined) wanted.push(sql`client_order_id = ${Bulk.storable(query.clientOrderId)}`)
  if (query.startMillis !== undefined) wanted.push(sql`ended_at_millis >= ${query.startMillis}`)
  if (query.endMillis !== undefined) wanted.push(sql`ended_at_millis < ${query.endMillis}`)
  return sql<HistoricOrder>`
    select page.order_id as "orderId", page.status, page.ended_at_millis::float8 as "endedAtMillis",
      page.symbol, page.account_id as "accountId", page.user_id as "userId", page.client_order_id as "clientOrderId",
      page.side, page.order_type as "orderType", page.time_in_force as "timeInForce",
      page.price::float8 as price, page.quantity::float8 as quantity, page.reduce_only as "reduceOnly",
      page.asked_price as "askedPrice", page.asked_quantity as "askedQuantity",
      coalesce(fills.quantity, 0)::float8 as "filledQuantity", coalesce(fills.passive, 0)::float8 as "passiveQuantity",
      (fills.cost / fills.quantity)::float8 as "averagePrice",
      fills.first_at::float8 as "firstFillAtMillis", fills.last_at::float8 as "lastFillAtMillis"
    from (
      select * from ended_order where ${sql.and(wanted)}
      order by ended_at_millis desc, order_id limit ${limit} offset ${offset}
    ) page
    cross join lateral (
      select sum(quantity) as quantity, sum(quantity) filter (where side <> aggressor_side) as passive,
        sum(price::numeric * quantity) as cost, min(at_millis) as first_at, max(at_millis) as last_at
      from trade where trade.order_id = page.order_id
    ) fills
    order by page.ended_at_millis desc, page.order_id`.unprepared
}

/** The same page of rows in memory. */
export const pageIn = (
  orders: ReadonlyArray<EndedOrder>,
  trades: ReadonlyArray<TradeRow>,
  query: OrderQuery
): ReadonlyArray<HistoricOrder> => {
  const { limit, offset } = pageOf(query)
  return orders
    .filter(
      (order) =>
        order.accountId === query.accountId &&
        (query.symbol === undefined || order.symbol === query.symbol) &&
        (query.clientOrderId === undefined || order.clientOrderId === query.clientOrderId) &&
        (query.startMillis === undefined || order.endedAtMillis >= query.startMillis) &&
        (query.endMillis === undefined || order.endedAtMillis < query.endMillis)
    )
    .sort((a, b) => b.endedAtMillis - a.endedAtMillis || (a.orderId < b.orderId ? -1 : 1))
    .slice(offset, offset + limit)
    .map((order) =>
      withFills(
        order,
        trades.filter(({ orderId }) => orderId === order.orderId)
      )
    )
}

const withFills = (order: EndedOrder, fills: ReadonlyArray<TradeRow>): HistoricOrder => {
  const sum = (rows: ReadonlyArray<TradeRow>) => rows.reduce((total, row) => total + row.quantity, 0)
  const filledQuantity = sum(fills)
  const cost = fills.reduce((total, row) => total + row.price * row.quantity, 0)
  return {
    ...order,
    filledQuantity,
    passiveQuantity: sum(fills.filter((row) => row.side !== row.aggressorSide)),
    averagePrice: fills.length === 0 ? null : cost / filledQuantity,
    firstFillAtMillis: fills.length === 0 ? null : Math.min(...fills.map(({ atMillis }) => atMillis)),
    lastFillAtMillis: fills.length === 0 ? null : Math.max(...fills.map(({ atMillis }) => atMillis))
  }
}
