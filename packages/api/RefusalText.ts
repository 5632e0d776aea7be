/** Explanations of order refusals for traders. */
import type { OrderRefusal } from "@venue/domain/Reject"

/** Explanation of each refusal, in lower case and without a full stop. */
export const refusalText: Readonly<Record<OrderRefusal, string>> = {
  REJECTED: "the account has no position to reduce or close, or its position is smaller than the order",
  NO_SUCH_ORDER: "no open order has this id",
  INVALID_ORDER_TYPE: "the symbol does not accept orders of this type",
  BAD_SYMBOL: "no contract with this symbol is listed",
  PRICE_LESS_THAN_MIN_PRICE: "the price is below the current minimum for orders of this side",
  PRICE_GREATER_THAN_MAX_PRICE: "the price is above the current maximum for orders of this side",
  CANNOT_MODIFY_PARTIAL_FILL: "a partly filled order cannot be modified",
  CANNOT_MODIFY_NO_SUCH_ORDER: "no open order has this id with the same side, type and reduce_only",
  CANNOT_MODIFY_ALO_WOULD_CROSS: "the order is add-liquidity-only (ALO) and would match immediately at the new price",
  FAILED_MARGIN_CHECK:
    "the available balance does not cover the margin and the fee, or the position cannot be closed at this price",
  INVALID_TICK_SIZE_PRECISION_PRICE: "the price is not a multiple of the tick size",
  INVALID_TICK_SIZE_PRECISION_QUANTITY: "the quantity is not a multiple of the lot size",
  QUANTITY_LESS_THAN_MIN_QUANTITY: "the quantity is below the minimum of the contract",
  QUANTITY_GREATER_THAN_MAX_QUANTITY: "the quantity is above the maximum of the contract",
  INVALID_TIME_IN_FORCE: "orders of this type do not support this time in force",
  REJECTED_WOULD_BREACH_MAX_NOTIONAL: "the position could exceed the maximum notional for the leverage of the account",
  REJECTED_LESS_THAN_MIN_NOTIONAL: "the notional of the order is below the minimum of 10 USD",
  REJECTED_OPEN_INTEREST_LIMIT: "the open interest of the symbol would exceed its limit",
  REJECTED_TOTAL_OPEN_INTEREST_LIMIT: "the total open interest of all symbols would exceed its limit",
  REJECTED_TOO_MANY_OPEN_ORDERS: "the account has the maximum number of open orders or stops",
  REJECTED_MARKET_CLOSED: "the symbol does not accept the order now: it is not trading, or it has no fresh price",
  REJECTED_FAILED_TO_PROCESS: "the order could not be processed in time",
  USER_IN_LIQUIDATION:
    "the account is in liquidation, or one of its positions is being taken over: only reducing orders are accepted",
  INVALID_TAKEPROFIT_PRICE:
    "the take-profit price is not a multiple of the tick size, or it is on the wrong side of the order price or, for a MARKET order, of the mark price",
  INVALID_STOPLOSS_PRICE:
    "the stop-loss price is not a multiple of the tick size, or it is on the wrong side of the order price or, for a MARKET order, of the mark price"
}
