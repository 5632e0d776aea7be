/** What each refusal of an order means to whoever placed it. */
import type { OrderRefusal } from "@venue/domain/Reject"

export const refusalText: Readonly<Record<OrderRefusal, string>> = {
  REJECTED: "there is no position that the order could reduce, or close, or not as much",
  NO_SUCH_ORDER: "there is no such open order",
  INVALID_ORDER_TYPE: "orders of this type are not taken",
  BAD_SYMBOL: "no contract of this name is listed",
  PRICE_LESS_THAN_MIN_PRICE: "the price is below the least that an order of this side may have now",
  PRICE_GREATER_THAN_MAX_PRICE: "the price is above the most that an order of this side may have now",
  CANNOT_MODIFY_PARTIAL_FILL: "the order was filled in part",
  CANNOT_MODIFY_NO_SUCH_ORDER: "there is no such open order, or it is unlike what was said of it",
  CANNOT_MODIFY_ALO_WOULD_CROSS: "the order would match at that price, and only adds liquidity",
  FAILED_MARGIN_CHECK:
    "what is available does not cover the margin and the fee, or the position cannot be closed at this price",
  INVALID_TICK_SIZE_PRECISION_PRICE: "the price is no multiple of the tick",
  INVALID_TICK_SIZE_PRECISION_QUANTITY: "the quantity is no multiple of the lot",
  QUANTITY_LESS_THAN_MIN_QUANTITY: "the quantity is below the least of the contract",
  QUANTITY_GREATER_THAN_MAX_QUANTITY: "the quantity is above the most of the contract",
  INVALID_TIME_IN_FORCE: "orders of this type do not have this time in force",
  REJECTED_WOULD_BREACH_MAX_NOTIONAL: "the position could become larger than the leverage of the account allows",
  REJECTED_LESS_THAN_MIN_NOTIONAL: "the order is worth less than 10 USD",
  REJECTED_OPEN_INTEREST_LIMIT: "the open interest of the symbol would come above its limit",
  REJECTED_TOTAL_OPEN_INTEREST_LIMIT: "the open interest of all symbols would come above its limit",
  REJECTED_TOO_MANY_OPEN_ORDERS: "the account has as many open orders or stops as are allowed",
  REJECTED_MARKET_CLOSED: "the symbol takes no such order now: it does not trade, or has no fresh price",
  REJECTED_FAILED_TO_PROCESS: "the order could not be processed in time",
  USER_IN_LIQUIDATION: "the account is in liquidation, or a position of it is being taken over: it may only reduce",
  INVALID_TAKEPROFIT_PRICE: "the take profit is no multiple of the tick, or on the wrong side of the price",
  INVALID_STOPLOSS_PRICE: "the stop loss is no multiple of the tick, or on the wrong side of the price"
}
