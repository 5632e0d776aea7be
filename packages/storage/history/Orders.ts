/** Ended orders (filled, cancelled or rejected), with sums of their fills. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent, Refused } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { EndStatus, type Order, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { OrderRefusal } from "@venue/domain/Reject"
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, float8, numeric, of, orNull, storable, text } from "@venue/postgres/Column"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import * as HistoryList from "./HistoryList.ts"
import * as ReadTable from "./ReadTable.ts"
import { rowOrder } from "./RowOrder.ts"
import { type TradeRow, trades } from "./Trades.ts"

const TerminalStatus = Schema.Literals(["FILLED", ...EndStatus.literals, ...OrderRefusal.literals])
type TerminalStatus = typeof TerminalStatus.Type

const endedOrderTable = Table.make("ended_order", {
  orderId: text,
  status: of("text", TerminalStatus),
  endedAtMillis: bigint,
  symbol: of("text", MarketSymbol),
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  clientOrderId: text,
  side: of("text", Side),
  orderType: of("text", OrderType),
  timeInForce: of("text", TimeInForce),
  /** In ticks; 0 for a rejected order. */
  price: bigint,
  /** In lots; 0 for a rejected order. */
  quantity: bigint,
  reduceOnly: boolean,
  /** Decimal as the client sent it; null unless the order was rejected. */
  askedPrice: orNull(float8),
  askedQuantity: orNull(float8)
})
export type EndedOrder = Table.Row<typeof endedOrderTable>

const numberOrNull = Schema.NullOr(Schema.Number)
const historicOrders = endedOrderTable.with({
  filledQuantity: { schema: Schema.Number, expression: "coalesce(fills.quantity, 0)::float8" },
  /** Lots filled as maker. */
  passiveQuantity: { schema: Schema.Number, expression: "coalesce(fills.passive, 0)::float8" },
  /** Sum of price times quantity over the fills, in ticks times lots. */
  filledCost: { schema: numeric.schema, expression: "coalesce(fills.cost, 0)::text" },
  /** Times of the first and the last fill; null without fills. */
  firstFillAtMillis: { schema: numberOrNull, expression: "fills.first_at::float8" },
  lastFillAtMillis: { schema: numberOrNull, expression: "fills.last_at::float8" }
})
export type HistoricOrder = Table.Row<typeof historicOrders>

const order = rowOrder<EndedOrder>("ended_order", ["endedAtMillis", "orderId"])

export interface OrderFilter {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
  readonly clientOrderId?: string | undefined
  /** Earliest end of an order, inclusive. */
  readonly startMillis?: number | undefined
  /** Latest end of an order, exclusive. */
  readonly endMillis?: number | undefined
}

export interface OrderQuery extends OrderFilter, Page {}

/**
 * Returns the orders that an event ends. A rejected place command ends its order. A rejected modify or cancel does
 * not, because it refers to another order or has no side.
 */
export const endedBy = (symbol: MarketSymbol, event: MarketEvent): ReadonlyArray<EndedOrder> => {
  switch (event._tag) {
    case "Ended":
      return [ended(symbol, event.order, event.status, event.atMillis)]
    case "Traded":
      return [event.taker.order, event.maker.order]
        .filter((order) => order.remainingLots === 0)
        .map((order) => ended(symbol, order, "FILLED", event.atMillis))
    case "Refused":
      return refused(symbol, event)
    default:
      return []
  }
}

const ended = (symbol: MarketSymbol, order: Order, status: TerminalStatus, atMillis: number): EndedOrder => ({
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
  price: order.priceTicks,
  quantity: order.quantityLots,
  reduceOnly: order.reduceOnly,
  askedPrice: null,
  askedQuantity: null
})

const refused = (symbol: MarketSymbol, { accountId, atMillis, commandId, echo, status, userId }: Refused) => {
  const { side, timeInForce, type } = echo
  if (echo.orderId !== "" || side === null || type === null || timeInForce === null) return []
  const order: EndedOrder = {
    orderId: commandId.text,
    // The wire protocol has no status for an expired command.
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

/** A late repetition of a command is rejected as expired. Its row must not overwrite how the order actually ended. */
const unprocessed = "REJECTED_FAILED_TO_PROCESS"

const update = endedOrderTable.names.map((name) => `${name} = excluded.${name}`).join(", ")

export const endedOrders = ReadTable.make(endedOrderTable, {
  key: ({ orderId }) => orderId,
  merge: {
    rows: (before, next) => (before.status === unprocessed ? next : before),
    conflict: `on conflict (order_id) do update set ${update} where ended_order.status = '${unprocessed}'`
  },
  maxInMemory: 100_000
})

const wanted = (sql: SqlClient.SqlClient, filter: OrderFilter) => {
  const all = [sql`account_id = ${storable(filter.accountId)}`]
  if (filter.symbol !== undefined) all.push(sql`symbol = ${storable(filter.symbol)}`)
  if (filter.clientOrderId !== undefined) all.push(sql`client_order_id = ${storable(filter.clientOrderId)}`)
  if (filter.startMillis !== undefined) all.push(sql`ended_at_millis >= ${filter.startMillis}`)
  if (filter.endMillis !== undefined) all.push(sql`ended_at_millis < ${filter.endMillis}`)
  return sql.and(all)
}

/** In-memory equivalent of the SQL condition `wanted`. */
const isWanted =
  ({ accountId, clientOrderId, endMillis, startMillis, symbol }: OrderFilter) =>
  (row: EndedOrder): boolean =>
    row.accountId === accountId &&
    (symbol === undefined || row.symbol === symbol) &&
    (clientOrderId === undefined || row.clientOrderId === clientOrderId) &&
    (startMillis === undefined || row.endedAtMillis >= startMillis) &&
    (endMillis === undefined || row.endedAtMillis < endMillis)

/** Joins the sums of fills, computed only for the selected orders. */
const withFills = (sql: SqlClient.SqlClient, { limit, orderBy, where }: HistoryList.Chosen) =>
  historicOrders.all(
    sql`
      select ${historicOrders.columns} from (
        select * from ended_order where ${where} order by ${orderBy} ${limit}
      ) ended_order
      cross join lateral (
        select sum(quantity) as quantity, sum(quantity) filter (where side <> aggressor_side) as passive,
          sum(price::numeric * quantity) as cost, min(at_millis) as first_at, max(at_millis) as last_at
        from trade where trade.order_id = ended_order.order_id
      ) fills
      order by ${orderBy}`.unprepared
  )

const withFillsIn = (memory: ReadTable.Memory, orders: ReadonlyArray<EndedOrder>): ReadonlyArray<HistoricOrder> => {
  const orderIds = new Set(orders.map(({ orderId }) => orderId))
  const fills = Map.groupBy(
    trades.rowsIn(memory).filter(({ orderId }) => orderIds.has(orderId)),
    ({ orderId }) => orderId
  )
  return orders.map((ended) => summed(ended, fills.get(ended.orderId) ?? []))
}

const summed = (ended: EndedOrder, fills: ReadonlyArray<TradeRow>): HistoricOrder => {
  const sum = (rows: ReadonlyArray<TradeRow>) => rows.reduce((total, row) => total + row.quantity, 0)
  const times = fills.map(({ atMillis }) => atMillis)
  return {
    ...ended,
    filledQuantity: sum(fills),
    passiveQuantity: sum(fills.filter((row) => row.side !== row.aggressorSide)),
    filledCost: fills.reduce((total, row) => total + BigInt(row.price) * BigInt(row.quantity), 0n),
    firstFillAtMillis: times.length === 0 ? null : Math.min(...times),
    lastFillAtMillis: times.length === 0 ? null : Math.max(...times)
  }
}

export const { count, listing, page } = HistoryList.make<OrderFilter, EndedOrder, HistoricOrder>({
  table: "ended_order",
  order,
  wanted,
  isWanted,
  select: withFills,
  rowsIn: endedOrders.rowsIn,
  viewsIn: withFillsIn
})
