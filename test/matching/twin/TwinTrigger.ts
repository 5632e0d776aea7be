/** Triggering of stops in the twin: a stop that the mark has reached becomes an order from the venue. */
import { isFresh } from "@venue/domain/Oracle"
import type { Order } from "@venue/domain/Order"
import { type Emit, endStop, leave, match } from "./TwinMatch.ts"
import type { Twin } from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"

export const fire = (twin: Twin, nowMillis: number, tell: Emit): void => {
  let said = 0
  const emit: Emit = (event) => {
    said++
    tell(event)
  }
  const atMillis = Math.max(twin.timeMillis, nowMillis)
  for (let left = 256; left > 0; left--) {
    const stop = Stops.next(twin)
    if (
      stop === undefined ||
      said >= 4_096 ||
      twin.letsIn !== "TRADING" ||
      !isFresh(twin.instrument, twin.prices!, atMillis)
    )
      return
    twin.timeMillis = atMillis
    twin.stops = twin.stops.filter((other) => other !== stop)
    const fresh = { type: "STOP_MARKET", origin: "STOP", timeInForce: "IOC", updatedAtMillis: twin.timeMillis } as const
    const order: Order = { ...stop.order, ...fresh }
    const other = Stops.linked({ ...twin, stops: [...twin.stops, stop] }, stop)
    emit({ _tag: "Triggered", stopType: stop.order.type as "STOP_LOSS", order, atMillis: twin.timeMillis })
    if (other !== undefined) endStop(twin, other, null, emit)
    const taker = { order, makerRate: 0, leverage: stop.leverage, acceptedNumber: 0, queuedNumber: 0 }
    match(twin, taker, Stops.worst(twin, twin.prices!, stop), stop, emit)
    const { quantityLots, remainingLots } = taker.order
    const status = remainingLots < quantityLots ? "IOC_PARTIALLY_FILLED" : "IOC_CANCELLED"
    if (remainingLots > 0) leave(twin, taker, null, status, emit)
  }
}
