/** Prints frames about orders and fills; by hand for speed, because each market event goes to several clients. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Echo } from "@venue/domain/Echo"
import { executionTypeOf } from "@venue/domain/Execution"
import type { Fill, Refused, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import * as Digits from "../Digits.ts"
import type { UserTrade } from "../UserTrade.ts"
import type { OrderStatus } from "./FrameSchema.ts"
import { twapBody, type TwapRow } from "./TwapFrame.ts"

/** Open order. Its status is `ACK` or `MODIFIED`, because clients treat only these statuses as open. */
export interface RestingOrder {
  readonly instrument: Instrument
  readonly order: Order
  readonly status: "ACK" | "MODIFIED"
  readonly updateMillis: number
}

/** Prints the state of an order; `tradeId` is set for `FILLED` only. */
export const orderResponse = (
  instrument: Instrument,
  order: Order,
  status: OrderStatus,
  updateMillis: number,
  tradeId: string | null
): string => `{"order_response":${orderBody(instrument, order, status, updateMillis, tradeId)}}`

/**
 * Prints the refusal of a command with an echo of its fields; the order id is "" if the command had no order id. An
 * expired command has no status of its own on the wire and is sent as `REJECTED_FAILED_TO_PROCESS`.
 */
export const refusal = (
  symbol: string,
  refused: Pick<Refused, "accountId" | "status" | "echo" | "atMillis">
): string => {
  const { accountId, atMillis, echo, status } = refused
  return `{"order_response":{"order_id":${quoted(echo.orderId)},"symbol":${JSON.stringify(symbol)},"status":"${
    status === "EXPIRED" ? "REJECTED_FAILED_TO_PROCESS" : status
  }","quantity":${Digits.plain(echo.quantity)},"price":${Digits.plain(
    echo.type === "MARKET" ? 0 : echo.price
  )},"take_profit":0,"stop_loss":0,${known(echo)}"user_id":"${accountId}","client_order_id":${quoted(
    echo.clientOrderId
  )},"quantity_remaining":${Digits.plain(echo.quantity)},"update_time":${Digits.seconds(atMillis)},"trade_id":null}}`
}

/** Prints one side of a trade for its owner. All of a command's fills precede its `FILLED` order responses. */
export const fillResponse = (instrument: Instrument, traded: Traded, role: "maker" | "taker"): string => {
  const { order, fee, realised }: Fill = traded[role]
  return `{"fill_response":{"trade_id":"${traded.tradeId.text}","user_id":"${order.accountId}","symbol":"${
    instrument.symbol
  }","price":${price(instrument, traded.priceTicks)},"quantity":${quantity(instrument, traded.quantityLots)},"side":"${
    order.side
  }","aggressor_side":"${traded.taker.order.side}","order_id":"${order.orderId.text}","fee":${Digits.money(
    fee
  )},"order_type":"${order.type}","tif":"${order.timeInForce}","order_price":${price(
    instrument,
    order.priceTicks
  )},"client_order_id":${quoted(order.clientOrderId)},"remaining_quantity":${quantity(
    instrument,
    order.remainingLots
  )},${brackets(instrument, order)}"execution_type":"${executionTypeOf(
    traded.offBook,
    order
  )}","timestamp":${Digits.seconds(traded.atMillis)},"realised_pnl":${Digits.money(realised)}}}`
}

/** Prints open orders and TWAPs, under both names that clients use. */
export const allOrdersResponse = (orders: ReadonlyArray<RestingOrder>, twaps: ReadonlyArray<TwapRow>): string => {
  const body = listBody(orders, twaps)
  return `{"all_orders_response":${body},"get_orders_response":${body}}`
}

/** Prints the response to `get_order` in both forms that clients use. */
export const getOrderResponse = (resting: RestingOrder): string =>
  `{"order_response":${restingBody(resting)},"all_orders_response":${listBody([resting], [])}}`

/** Prints fills under both names that clients use; `count` is the number of all matching fills. */
export const userTradesResponse = (
  instrumentOf: (symbol: MarketSymbol) => Instrument,
  trades: ReadonlyArray<UserTrade>,
  count: number
): string => {
  const list = trades.map((trade) => tradeBody(instrumentOf(trade.symbol), trade)).join(",")
  return `{"user_trades_response":[${list}],"user_trades":[${list}],"count":${count}}`
}

/** Quotes a client id; the loop is faster than a regular expression or `JSON.stringify`. */
const quoted = (id: string): string => {
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return JSON.stringify(id)
  }
  return `"${id}"`
}

const price = (instrument: Instrument, ticks: number): string => Digits.units(ticks * instrument.tickE8)

const quantity = (instrument: Instrument, lots: number): string => Digits.units(lots * instrument.lotE8)

const brackets = (instrument: Instrument, { bracket }: Order): string =>
  bracket === undefined
    ? '"take_profit":0,"stop_loss":0,'
    : `"take_profit":${price(instrument, bracket.takeProfitTicks)},"stop_loss":${price(instrument, bracket.stopLossTicks)},`

const orderBody = (
  instrument: Instrument,
  order: Order,
  status: OrderStatus,
  updateMillis: number,
  tradeId: string | null
): string =>
  `{"order_id":"${order.orderId.text}","symbol":"${instrument.symbol}","status":"${status}","quantity":${quantity(
    instrument,
    order.quantityLots
  )},"price":${price(instrument, order.priceTicks)},${brackets(instrument, order)}"side":"${order.side}","type":"${
    order.type
  }","time_in_force":"${order.timeInForce}","user_id":"${order.accountId}","client_order_id":${quoted(
    order.clientOrderId
  )},"quantity_remaining":${quantity(instrument, order.remainingLots)},"update_time":${Digits.seconds(
    updateMillis
  )},"trade_id":${tradeId === null ? "null" : `"${tradeId}"`},"reduce_only":${order.reduceOnly}}`

const restingBody = ({ instrument, order, status, updateMillis }: RestingOrder): string =>
  orderBody(instrument, order, status, updateMillis, null)

const listBody = (orders: ReadonlyArray<RestingOrder>, twaps: ReadonlyArray<TwapRow>): string =>
  `{"orders":[${orders.map(restingBody).join(",")}],"twaps":[${twaps.map(twapBody).join(",")}]}`

/** Prints the command's side, type and time in force; a cancel lacks these. */
const known = ({ side, timeInForce, type }: Echo): string =>
  `${side === null ? "" : `"side":"${side}",`}${type === null ? "" : `"type":"${type}",`}${
    timeInForce === null ? "" : `"time_in_force":"${timeInForce}",`
  }`

const tradeBody = (instrument: Instrument, trade: UserTrade): string =>
  `{"trade_id":"${trade.tradeId}","symbol":"${trade.symbol}","price":${price(instrument, trade.price)},"quantity":${quantity(
    instrument,
    trade.quantity
  )},"side":"${trade.side}","aggressor_side":"${trade.aggressorSide}","order_id":"${
    trade.orderId
  }","client_order_id":${quoted(trade.clientOrderId)},"fee":${Digits.money(trade.fee)},"order_type":"${
    trade.orderType
  }","tif":"${trade.timeInForce}","execution_type":"${trade.executionType}","realised_pnl":${Digits.money(
    trade.realised
  )},"timestamp":${Digits.seconds(trade.atMillis)}}`
