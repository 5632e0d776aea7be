/**
 * The outcome of one order that trades: its trades, and what they changed of other orders on the way. All of it is committed
 * at one instant, so its owner receives the fills first and then each order as the whole outcome left it (rule 4.22).
 */
import { isSame } from "@venue/domain/Id"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"

export interface Outcome {
  /** Index of the last trade. */
  readonly last: number
  /** The taker's order as the outcome left it. */
  readonly taker: Order
  /** Orders as they were cut last, by order id; undefined where none was. */
  readonly cut: ReadonlyMap<string, Order> | undefined
}

/** Returns the outcome that begins with this trade, at index `first`. An order takes in one command and no other. */
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

/** Returns an order of a fill as the outcome left it. An order may also have been cut before that fill. */
export const left = (cut: Outcome["cut"], order: Order): Order => {
  if (cut === undefined) return order
  const last = cut.get(order.orderId.text)
  return last !== undefined && last.remainingLots < order.remainingLots ? last : order
}
