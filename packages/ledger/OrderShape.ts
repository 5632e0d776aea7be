/** Whether an order is one its instrument can take, before anything is known of the book: the first failure wins. */
import type { Instrument } from "@venue/domain/Instrument"
import type { OrderType, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"

const timesInForce: Record<OrderType, ReadonlyArray<TimeInForce>> = {
  LIMIT: ["GTC", "IOC", "FOK"],
  MARKET: ["IOC"],
  ALO: ["GTC"],
  // What a stop says is read and told again, and not followed.
  TAKE_PROFIT: ["GTC", "IOC", "FOK"],
  STOP_LOSS: ["GTC", "IOC", "FOK"],
  STOP_MARKET: []
}

/** A `STOP_MARKET` order comes of a stop alone. */
export const typeFlaw = (type: OrderType, timeInForce: TimeInForce): OrderRefusal | undefined => {
  const allowed = timesInForce[type]
  if (allowed.length === 0) return "INVALID_ORDER_TYPE"
  return allowed.includes(timeInForce) ? undefined : "INVALID_TIME_IN_FORCE"
}

/** Reduce-only orders may be under the minimum. */
export const quantityFlaw = (instrument: Instrument, lots: number, reduceOnly: boolean): OrderRefusal | undefined => {
  if (Number.isNaN(lots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  if (lots < (reduceOnly ? 1 : instrument.minQuantityLots)) return "QUANTITY_LESS_THAN_MIN_QUANTITY"
  return lots > instrument.maxQuantityLots ? "QUANTITY_GREATER_THAN_MAX_QUANTITY" : undefined
}

/** Stops are any number of lots, since they can only be as large as a position. */
export const stopQuantityFlaw = (lots: number): OrderRefusal | undefined => {
  if (Number.isNaN(lots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  return lots < 1 ? "QUANTITY_LESS_THAN_MIN_QUANTITY" : undefined
}

/** A price that is no tick is refused as the stop's; 0 is none. */
export const triggerFlaw = (takeProfitTicks: number, stopLossTicks: number): OrderRefusal | undefined => {
  if (Number.isNaN(takeProfitTicks)) return "INVALID_TAKEPROFIT_PRICE"
  return Number.isNaN(stopLossTicks) ? "INVALID_STOPLOSS_PRICE" : undefined
}

/** The market knows the real bounds; here a price must be above zero and keep the largest order's money exact. */
export const priceFlaw = (instrument: Instrument, ticks: number): OrderRefusal | undefined => {
  if (Number.isNaN(ticks)) return "INVALID_TICK_SIZE_PRECISION_PRICE"
  if (ticks <= 0) return "PRICE_LESS_THAN_MIN_PRICE"
  return Number.isSafeInteger(ticks * instrument.maxQuantityLots * instrument.tickLotMicros)
    ? undefined
    : "PRICE_GREATER_THAN_MAX_PRICE"
}
