/** Stops of one market, kept apart from the book and sorted by trigger price (rule 15). */
import type { Order } from "@venue/domain/Order"
import { isRising } from "@venue/domain/Stop"
import type { OrderId } from "@venue/domain/OrderId"
import type { Account } from "../state/Participants.ts"

/** Stop terms that are not part of the stop's order. */
export interface StopTerms {
  /** Taker rate of the order that the stop will send. */
  readonly takerRate: number
  /** Leverage of the stop's account, which cannot change while the account has a position. */
  readonly leverage: number
  /** Parent order to which the stop is attached; null for a stand-alone stop. Links the parent's two stops. */
  readonly parentId: OrderId | null
}

export interface Stop extends StopTerms {
  readonly account: Account
  /** Order whose price is the trigger price. Replaced when the stop is modified or cut. */
  order: Order
  /** Arrival number, which decides the sequence of stops at the same price. */
  sequence: number
}

export interface Stops {
  readonly tickE8: number
  /** Stops by id, in the order in which they were placed. */
  readonly byId: Map<string, Stop>
  readonly byAccount: Map<Account, ReadonlyArray<Stop>>
  /** Stops that fire at or above their price. The next stop to fire (lowest price, then oldest) is last. */
  readonly rising: Array<Stop>
  /** Stops that fire at or below their price. The next stop to fire (highest price, then oldest) is last. */
  readonly falling: Array<Stop>
  /** Stops whose price the mark has reached, in firing order, even if the mark has moved back. */
  readonly due: Set<Stop>
  lastSequence: number
}

/** Maximum number of stops per account in one market, in addition to the orders on the book. */
export const most = 50

export const make = (tickE8: number): Stops => ({
  tickE8,
  byId: new Map(),
  byAccount: new Map(),
  rising: [],
  falling: [],
  due: new Set(),
  lastSequence: 0
})

export const find = (stops: Stops, { text }: OrderId): Stop | undefined => stops.byId.get(text)

/** Returns the stops of an account, oldest first; the list is immutable. */
export const ofAccount = (stops: Stops, account: Account): ReadonlyArray<Stop> => stops.byAccount.get(account) ?? none

/** Returns the stand-alone stops with this client order id, oldest first. Attached stops carry their parent's id. */
export const standingAlone = (stops: Stops, account: Account, clientOrderId: string): ReadonlyArray<Stop> =>
  clientOrderId === ""
    ? none
    : ofAccount(stops, account).filter(
        ({ order, parentId }) => parentId === null && order.clientOrderId === clientOrderId
      )

/** Returns the other stop of the same parent. */
export const linked = (stops: Stops, stop: Stop): Stop | undefined =>
  stop.parentId === null
    ? undefined
    : ofAccount(stops, stop.account).find((other) => other !== stop && other.parentId?.text === stop.parentId?.text)

/** Adds a stop. The stop is due at once if the mark has already reached its price. */
export const add = (stops: Stops, account: Account, order: Order, terms: StopTerms, markE8: number): void => {
  const { leverage, parentId, takerRate } = terms
  const stop = { account, order, takerRate, leverage, parentId, sequence: ++stops.lastSequence }
  keep(stops, stop)
  wait(stops, stop, markE8)
}

/** Adds a stop to its account and to the market without queueing it. */
export const keep = (stops: Stops, stop: Stop): void => {
  stops.byId.set(stop.order.orderId.text, stop)
  stops.byAccount.set(stop.account, [...ofAccount(stops, stop.account), stop])
}

/** Replaces a stop's order; a stop that moves to another price goes behind the stops already there. */
export const change = (stops: Stops, stop: Stop, order: Order, requeued: boolean, markE8: number): void => {
  if (requeued) leave(stops, stop)
  stop.order = order
  if (!requeued) return
  stop.sequence = ++stops.lastSequence
  wait(stops, stop, markE8)
}

export const remove = (stops: Stops, stop: Stop): void => {
  leave(stops, stop)
  stops.byId.delete(stop.order.orderId.text)
  const others = ofAccount(stops, stop.account).filter((other) => other !== stop)
  if (others.length === 0) stops.byAccount.delete(stop.account)
  else stops.byAccount.set(stop.account, others)
}

/** Marks the stops that the mark has reached as due: rising stops first, then falling ones, nearest price first. */
export const reach = (stops: Stops, markE8: number): void => {
  for (const line of [stops.rising, stops.falling]) {
    while (line.length > 0 && isReached(stops, line.at(-1)!, markE8)) stops.due.add(line.pop()!)
  }
}

/** Queues a stop by its trigger price, regardless of the current mark. */
export const lineUp = (stops: Stops, stop: Stop): void => {
  const line = lineOf(stops, stop)
  line.splice(placeOf(line, stop), 0, stop)
}

const none: ReadonlyArray<Stop> = []

function wait(stops: Stops, stop: Stop, markE8: number): void {
  if (isReached(stops, stop, markE8)) stops.due.add(stop)
  else lineUp(stops, stop)
}

function leave(stops: Stops, stop: Stop): void {
  if (stops.due.delete(stop)) return
  const line = lineOf(stops, stop)
  line.splice(placeOf(line, stop), 1)
}

function isReached({ tickE8 }: Stops, { order }: Stop, markE8: number): boolean {
  const triggerE8 = order.priceTicks * tickE8
  return isRising(order) ? markE8 >= triggerE8 : markE8 <= triggerE8
}

function lineOf({ falling, rising }: Stops, { order }: Stop): Array<Stop> {
  return isRising(order) ? rising : falling
}

/** Returns the position of a stop in its queue; the stops before it fire later. */
function placeOf(line: ReadonlyArray<Stop>, stop: Stop): number {
  let low = 0
  let high = line.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (firesBefore(stop, line[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

function firesBefore(stop: Stop, other: Stop): boolean {
  const apart = stop.order.priceTicks - other.order.priceTicks
  if (apart === 0) return stop.sequence < other.sequence
  return isRising(stop.order) ? apart < 0 : apart > 0
}
