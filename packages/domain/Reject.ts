/** Refusals of well-formed orders, with the names that the wire uses. */
import { Schema } from "effect"

/** Status of a refused order. */
export const OrderRefusal = Schema.Literals([
  "REJECTED",
  "NO_SUCH_ORDER",
  "INVALID_ORDER_TYPE",
  "BAD_SYMBOL",
  "PRICE_LESS_THAN_MIN_PRICE",
  "PRICE_GREATER_THAN_MAX_PRICE",
  "CANNOT_MODIFY_PARTIAL_FILL",
  "CANNOT_MODIFY_NO_SUCH_ORDER",
  "CANNOT_MODIFY_ALO_WOULD_CROSS",
  "FAILED_MARGIN_CHECK",
  "INVALID_TICK_SIZE_PRECISION_PRICE",
  "INVALID_TICK_SIZE_PRECISION_QUANTITY",
  "QUANTITY_LESS_THAN_MIN_QUANTITY",
  "QUANTITY_GREATER_THAN_MAX_QUANTITY",
  "INVALID_TIME_IN_FORCE",
  "REJECTED_WOULD_BREACH_MAX_NOTIONAL",
  "REJECTED_LESS_THAN_MIN_NOTIONAL",
  "REJECTED_OPEN_INTEREST_LIMIT",
  "REJECTED_TOTAL_OPEN_INTEREST_LIMIT",
  "REJECTED_TOO_MANY_OPEN_ORDERS",
  "REJECTED_MARKET_CLOSED",
  "REJECTED_FAILED_TO_PROCESS",
  "USER_IN_LIQUIDATION",
  "INVALID_TAKEPROFIT_PRICE",
  "INVALID_STOPLOSS_PRICE"
])
export type OrderRefusal = typeof OrderRefusal.Type

/** Recorded outcome of a command: executed, refused, or `EXPIRED` because it reached its market too late. */
export type Outcome = "DONE" | "EXPIRED" | OrderRefusal
