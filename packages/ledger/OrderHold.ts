/** Margin hold of one order, from the time the order is sent until it has ended. */
import type { Order, OrderType, Side, TimeInForce } from "@venue/domain/Order"

/** Sums over one side's orders. Whole numbers, so adding and then subtracting leaves no remainder. */
export interface Sums {
  /** Lots of all orders. The other sums exclude reduce-only orders. */
  lots: number
  /** Value of the orders at their limit prices, in 1e-6 USD. */
  value: number
  /** Lots and value of orders priced through the mark, which would lose if they filled now. */
  crossedLots: number
  crossedValue: number
}

/** A modify whose outcome is not yet known, so the order might already have this price and quantity. */
export interface Replacement {
  readonly commandId: string
  readonly priceTicks: number
  readonly lots: number
}

/** Margin hold of one order; changed in place. */
export interface OrderHold {
  readonly orderId: string
  readonly side: Side
  readonly type: OrderType
  readonly reduceOnly: boolean
  /** True if the order counts towards the limit of open orders. */
  readonly mayRest: boolean
  /** Placement number; later orders have higher numbers. */
  sequence: number
  /** Undefined until the market has accepted the order. */
  order: Order | undefined
  /** Placement time. For an order from a market's view, the time of its last change. */
  placedByMillis: number
  /** Price at which the order is valued: its limit price, or the edge of the price band for a MARKET order. */
  priceTicks: number
  /** Lots not yet filled. */
  lots: number
  replacements: ReadonlyArray<Replacement>
  /** Amounts that this hold has added to its side's sums. */
  readonly counted: Sums
}

interface Terms {
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly reduceOnly: boolean
}

/** Returns a hold without an accepted order. */
export const make = (orderId: string, terms: Terms, priceTicks: number, lots: number, sequence: number): OrderHold => ({
  orderId,
  side: terms.side,
  type: terms.type,
  reduceOnly: terms.reduceOnly,
  mayRest: mayRest(terms),
  sequence,
  order: undefined,
  placedByMillis: 0,
  priceTicks,
  lots,
  replacements: none,
  counted: zeroSums()
})

const mayRest = ({ timeInForce, type }: Terms): boolean => type !== "MARKET" && timeInForce === "GTC"

export const zeroSums = (): Sums => ({ lots: 0, value: 0, crossedLots: 0, crossedValue: 0 })

const none: ReadonlyArray<Replacement> = []
