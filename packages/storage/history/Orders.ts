/** Orders that have ended: filled, cancelled or refused, and what they filled on the way. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent, Refused } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { EndStatus, type Order, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { OrderRefusal } from "@venue/domain/Reject"
import { Schema } from "effect"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, float8, of, orNull, storable, text } from "@venue/postgres/Column"
import { pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import * as ReadTable from "./ReadTable.ts"
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
  /** It counts ticks, and is 0 when the order was refused. */
  price: bigint,
  /** It counts lots, and is 0 when the order was refused. */
  quantity: bigint,
  reduceOnly: boolean,
  /** Only a refused order has these: the decimals that the client wrote. */
  askedPrice: orNull(float8),
  askedQuantity: orNull(float8)
})
export type EndedOrder = Table.Row<typeof endedOrderTable>

const numberOrNull = Schema.NullOr(Schema.Number)
const historicOrders = endedOrderTable.with({
  filledQuantity: { schema: Schema.Number, expression: "coalesce(fills.quantity, 0)::float8" },
  /** These lots were filled as maker. */
  passiveQuantity: { schema: Schema.Number, expression: "coalesce(fills.passive, 0)::float8" },
  /** It counts ticks and has a fraction; it is null when nothing filled, as are the two times. */
  averagePrice: { schema: numberOrNull, expression: "(fills.cost / fills.quantity)::float8" },
  firstFillAtMillis: { schema: numberOrNull, expression: "fills.first_at::float8" },
  lastFillAtMillis: { schema: numberOrNull, expression: "fills.last_at::float8" }
})
export type HistoricOrder = Table.Row<typeof historicOrders>

export interface OrderQuery {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
  readonly clientOrderId?: string | undefined
  /** The order ended then or later. */
  readonly startMillis?: number | undefined
  /** The order ended earlier. */
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

/**
 * Answers with the orders that an event ends. A refusal ends one if it refuses a place: a modify names its target, a
 * cancel no side.
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

const update = endedOrderTable.names.map((name) => `${name} = excluded.${name}`).join(", ")

/** Each order has one end. */
export const endedOrders = ReadTable.make(endedOrderTable, {
  key: ({ orderId }) => orderId,
  merge: {
    rows: (before, next) => (before.status === unprocessed ? next : before),
    conflict: `on conflict (order_id) do update set ${update} where ended_order.status = '${unprocessed}'`
  },
  maxInMemory: 100_000
})

/** The newest come first; fills are summed for the orders of the page alone. */
export const page = (query: OrderQuery): ReadTable.ReadQuery<ReadonlyArray<HistoricOrder>> => ({
  sql: (sql) => {
    const { limit, offset } = pageOf(query)
    const wanted = [sql`account_id = ${storable(query.accountId)}`]
    if (query.symbol !== undefined) wanted.push(sql`symbol = ${storable(query.symbol)}`)
    if (query.clientOrderId !== undefined) wanted.push(sql`client_order_id = ${storable(query.clientOrderId)}`)
    if (query.startMillis !== undefined) wanted.push(sql`ended_at_millis >= ${query.startMillis}`)
    if (query.endMillis !== undefined) wanted.push(sql`ended_at_millis < ${query.endMillis}`)
    return historicOrders.all(
      sql`
        select ${historicOrders.columns} from (
          select * from ended_order where ${sql.and(wanted)}
          order by ended_at_millis desc, order_id limit ${limit} offset ${offset}
        ) ended_order
        cross join lateral (
          select sum(quantity) as quantity, sum(quantity) filter (where side <> aggressor_side) as passive,
            sum(price::numeric * quantity) as cost, min(at_millis) as first_at, max(at_millis) as last_at
          from trade where trade.order_id = ended_order.order_id
        ) fills
        order by ended_order.ended_at_millis desc, ended_order.order_id`.unprepared
    )
  },
  memory: (memory) => {
    const { limit, offset } = pageOf(query)
    const fills = trades.rowsIn(memory)
    return endedOrders
      .rowsIn(memory)
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
          fills.filter(({ orderId }) => orderId === order.orderId)
        )
      )
  }
})

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
