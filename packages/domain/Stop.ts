/** A stop: an order that waits apart from the book until the mark reaches its price (rule 15). */
import type { Id } from "./Id.ts"
import type { Order, OrderType } from "./Order.ts"
import type { OrderId } from "./OrderId.ts"

export const isStop = (type: OrderType): boolean => type === "TAKE_PROFIT" || type === "STOP_LOSS"

/** Says whether a stop fires when the mark is at its price or above, rather than at it or below. */
export const isRising = ({ side, type }: Pick<Order, "side" | "type">): boolean =>
  (type === "TAKE_PROFIT") === (side === "SELL")

/** A stop waits apart from the book until the mark reaches its price. */
export interface StopPlaced {
  readonly _tag: "StopPlaced"
  /** It is null where an order brought the stop with it. */
  readonly commandId: Id | null
  readonly expiresAtMillis: number
  readonly order: Order
  /** Its order will pay this rate. */
  readonly takerRate: number
  readonly leverage: number
  /** The order that brought it: of the two stops of one parent, the first to fire ends the other. */
  readonly parentId: OrderId | null
  readonly atMillis: number
}

/** The mark reached the price of a stop, which is no more: in its place is this order, under its ids. */
export interface Triggered {
  readonly _tag: "Triggered"
  /** What the stop was. */
  readonly stopType: "TAKE_PROFIT" | "STOP_LOSS"
  readonly order: Order
  readonly atMillis: number
}
