/** Prints the frame of the channel `stop_orders`. */
import type { Instrument } from "@venue/domain/Instrument"
import type { Order, OrderType } from "@venue/domain/Order"
import * as Digits from "../Digits.ts"

/** Prints a stop, with quantity 0 if the stop has ended; the stop's status is in the same event's order response. */
export const stopOrderResponse = (
  instrument: Instrument,
  stop: Order,
  stopType: OrderType,
  isOver: boolean,
  updateMillis: number
): string =>
  `{"stop_order_response":{"stop_order_id":"${stop.orderId.text}","user_id":"${stop.accountId}","symbol":"${
    instrument.symbol
  }","price":${Digits.units(stop.priceTicks * instrument.tickE8)},"quantity":${Digits.units(
    isOver ? 0 : stop.quantityLots * instrument.lotE8
  )},"direction":"${stop.side}","stop_order_type":"${stopType}","client_order_id":${JSON.stringify(
    stop.clientOrderId
  )},"update_time":"${new Date(updateMillis).toISOString()}"}}`
