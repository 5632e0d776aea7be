/** The stops of a market as plain values, for its snapshot. */
import { type Id, parse } from "@venue/domain/Id"
import type { Order } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import type { Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"
import * as Stops from "./Stops.ts"

export interface StopSnapshot {
  readonly lastSequence: number
  /** Stops in the order in which they were placed. */
  readonly stops: ReadonlyArray<StoredStop>
  /** Indices into `stops` of the due stops, in firing order. */
  readonly due: ReadonlyArray<number>
}

interface StoredStop extends Omit<Order, "orderId"> {
  readonly orderId: string
  readonly takerRate: number
  readonly leverage: number
  readonly parentId: string | null
  readonly sequence: number
}

export const none: StopSnapshot = { lastSequence: 0, stops: [], due: [] }

export const snapshot = ({ stops }: Market): StopSnapshot => {
  const all = [...stops.byId.values()]
  const places = new Map(all.map((stop, place) => [stop, place]))
  return {
    lastSequence: stops.lastSequence,
    stops: all.map(({ leverage, order, parentId, sequence, takerRate }) => ({
      ...order,
      orderId: order.orderId.text,
      takerRate,
      leverage,
      parentId: parentId?.text ?? null,
      sequence
    })),
    due: Array.from(stops.due, (stop) => places.get(stop)!)
  }
}

/** Restores the stops; the accounts exist already. */
export const restore = (market: Market, stored: StopSnapshot): void => {
  const due = new Set(stored.due)
  const all = stored.stops.map(({ leverage, orderId, parentId, sequence, takerRate, ...rest }, place) => {
    const order = { ...rest, orderId: orderIdOf(orderId) }
    const account = Participants.account(market.participants, order.accountId, order.userId)
    const terms = { takerRate, leverage, parentId: parentId === null ? null : orderIdOf(parentId) }
    const stop = { account, order, ...terms, sequence }
    Stops.keep(market.stops, stop)
    if (!due.has(place)) Stops.lineUp(market.stops, stop)
    return stop
  })
  for (const place of stored.due) market.stops.due.add(all[place]!)
  market.stops.lastSequence = stored.lastSequence
}

function orderIdOf(text: string) {
  const id: Id | undefined = parse(text)
  if (id === undefined) throw new Error(`snapshot holds a stop with the id ${text}`)
  return orderIdFrom(id)
}
