/**
 * Outcome of one order that trades: its trades, and the changes to other orders in between. One row commits all these
 * events, so an order's owner receives the fills first and then each order in its final state (rule 4.22).
 */
import { isSame } from "@venue/domain/Id"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"

export interface Outcome {
  /** Index of the last trade. */
  readonly last: number
  /** Final state of the taker's order. */
  readonly taker: Order
  /** Final state of the orders that were cut, by order id, or undefined if no order was cut. */
  readonly cut: ReadonlyMap<string, Order> | undefined
}

/** Returns the outcome that begins with the trade at index `first`. An order is a taker in only one command. */
export const from = (events: ReadonlyArray<MarketEvent>, first: number, { taker: { order } }: Traded): Outcome => {
  let last = first
  let taker = order
  let cut: Map<string, Order> | undefined
  for (let at = first + 1; at < events.length; at++) {
    const event = events[at]!
    if (event._tag === "Traded") {
      if (!isSame(event.taker.order.orderId, order.orderId)) break
      last = at
      taker = event.taker.order
    } else if (event._tag === "Modified" && event.commandId === null) {
      cut ??= new Map()
      cut.set(event.order.orderId.text, event.order)
    } else if ((event._tag !== "Ended" && event._tag !== "StopPlaced") || event.commandId !== null) break
  }
  return { last, taker: left(cut, taker), cut }
}

/** Returns a filled order's final state: after its last cut if that left fewer lots, otherwise as given. */
export const left = (cut: Outcome["cut"], order: Order): Order => {
  if (cut === undefined) return order
  const last = cut.get(order.orderId.text)
  return last !== undefined && last.remainingLots < order.remainingLots ? last : order
}
