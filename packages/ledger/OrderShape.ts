/** Checks an order's shape against its instrument. The first failed check determines the refusal (rule 4.14). */
import type { Instrument } from "@venue/domain/Instrument"
import type { OrderType, TimeInForce } from "@venue/domain/Order"
import type { OrderRefusal } from "@venue/domain/Reject"

const timesInForce: Record<OrderType, ReadonlyArray<TimeInForce>> = {
  LIMIT: ["GTC", "IOC", "FOK"],
  MARKET: ["IOC"],
  ALO: ["GTC"],
  // A stop's time in force is echoed but otherwise ignored (rule 15.1).
  TAKE_PROFIT: ["GTC", "IOC", "FOK"],
  STOP_LOSS: ["GTC", "IOC", "FOK"],
  STOP_MARKET: []
}

/** Checks the type and time in force. Clients cannot send `STOP_MARKET`, because only a fired stop has that type. */
export const typeFlaw = (type: OrderType, timeInForce: TimeInForce): OrderRefusal | undefined => {
  const allowed = timesInForce[type]
  if (allowed.length === 0) return "INVALID_ORDER_TYPE"
  return allowed.includes(timeInForce) ? undefined : "INVALID_TIME_IN_FORCE"
}

/** Checks the quantity; a reduce-only order is allowed to be below the minimum (rule 1.4). */
export const quantityFlaw = (instrument: Instrument, lots: number, reduceOnly: boolean): OrderRefusal | undefined => {
  if (Number.isNaN(lots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  if (lots < (reduceOnly ? 1 : instrument.minQuantityLots)) return "QUANTITY_LESS_THAN_MIN_QUANTITY"
  return lots > instrument.maxQuantityLots ? "QUANTITY_GREATER_THAN_MAX_QUANTITY" : undefined
}

/** Checks a stop's quantity. Any number of lots is valid, because the position limits the quantity (rule 15.2). */
export const stopQuantityFlaw = (lots: number): OrderRefusal | undefined => {
  if (Number.isNaN(lots)) return "INVALID_TICK_SIZE_PRECISION_QUANTITY"
  return lots < 1 ? "QUANTITY_LESS_THAN_MIN_QUANTITY" : undefined
}

/**
 * Checks attached stops' trigger prices. `NaN` stands for a price that is not a multiple of the tick, 0 for no stop.
 */
export const triggerFlaw = (takeProfitTicks: number, stopLossTicks: number): OrderRefusal | undefined => {
  if (Number.isNaN(takeProfitTicks)) return "INVALID_TAKEPROFIT_PRICE"
  return Number.isNaN(stopLossTicks) ? "INVALID_STOPLOSS_PRICE" : undefined
}

/** Checks that the price is above zero and keeps the money of the largest order exact; the market checks the bounds. */
export const priceFlaw = (instrument: Instrument, ticks: number): OrderRefusal | undefined => {
  if (Number.isNaN(ticks)) return "INVALID_TICK_SIZE_PRECISION_PRICE"
  if (ticks <= 0) return "PRICE_LESS_THAN_MIN_PRICE"
  return Number.isSafeInteger(ticks * instrument.maxQuantityLots * instrument.tickLotMicros)
    ? undefined
    : "PRICE_GREATER_THAN_MAX_PRICE"
}
