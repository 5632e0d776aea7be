/** Stops: orders that wait off the book until the mark reaches their trigger price (rule 15). */
import type { Id } from "./Id.ts"
import type { Order, OrderType } from "./Order.ts"
import type { OrderId } from "./OrderId.ts"

/** Returns true for the order types of a stop. */
export const isStop = (type: OrderType): boolean => type === "TAKE_PROFIT" || type === "STOP_LOSS"

/**
 * Returns true if a stop fires at a mark at or above its price, and false if it fires at or below its price (rule
 * 15.3).
 */
export const isRising = ({ side, type }: Pick<Order, "side" | "type">): boolean =>
  (type === "TAKE_PROFIT") === (side === "SELL")

/** A stop was placed and waits for the mark. */
export interface StopPlaced {
  readonly _tag: "StopPlaced"
  /** Id of the command; null for a stop attached to an order. */
  readonly commandId: Id | null
  readonly expiresAtMillis: number
  readonly order: Order
  /** Taker rate of the order that the stop will send, in 1e-8 of notional. */
  readonly takerRate: number
  readonly leverage: number
  /**
   * Order to which the stop is attached. When one of the order's two stops fires, the other is cancelled (rule 15.9).
   */
  readonly parentId: OrderId | null
  readonly atMillis: number
}

/** The mark reached the trigger price. This order replaces the stop and keeps the stop's ids. */
export interface Triggered {
  readonly _tag: "Triggered"
  /** Type of the stop. */
  readonly stopType: "TAKE_PROFIT" | "STOP_LOSS"
  readonly order: Order
  readonly atMillis: number
}
