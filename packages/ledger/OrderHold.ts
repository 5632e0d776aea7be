/** The margin that one order holds, from the moment it is sent until it is gone. */
import type { Order, OrderType, Side, TimeInForce } from "@venue/domain/Order"

/** These are whole numbers, so that to add and to take away leaves nothing behind. */
export interface Sums {
  /** This counts all orders; the others leave out reduce-only ones. */
  lots: number
  /** The orders cost this money at their limit prices. */
  value: number
  /** Orders that are priced through the mark would lose if they filled now. */
  crossedLots: number
  crossedValue: number
}

/** A modify whose outcome is not known yet: the order may already be this. */
export interface Replacement {
  readonly commandId: string
  readonly priceTicks: number
  readonly lots: number
}

export interface OrderHold {
  readonly orderId: string
  readonly side: Side
  readonly type: OrderType
  readonly reduceOnly: boolean
  /** It counts towards the cap of open orders. */
  readonly mayRest: boolean
  /** Orders that were accepted later have higher ones. */
  sequence: number
  /** It has none until the market has accepted it. */
  order: Order | undefined
  /** It was placed then. Of an order that came with a view of its market, this is when it had changed last. */
  placedByMillis: number
  /** It is valued at this many ticks: its limit, or the edge of the band for MARKET. */
  priceTicks: number
  /** So many lots are not yet filled. */
  lots: number
  replacements: ReadonlyArray<Replacement>
  /** It added this to the sums of its side. */
  readonly counted: Sums
}

interface Terms {
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly reduceOnly: boolean
}

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
  counted: nothing()
})

const mayRest = ({ timeInForce, type }: Terms): boolean => type !== "MARKET" && timeInForce === "GTC"

export const nothing = (): Sums => ({ lots: 0, value: 0, crossedLots: 0, crossedValue: 0 })

const none: ReadonlyArray<Replacement> = []
