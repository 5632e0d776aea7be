/** The stops of one market: they wait apart from the book, in the order in which a moving mark comes to them (rule 15). */
import type { Order } from "@venue/domain/Order"
import { isRising } from "@venue/domain/Stop"
import type { OrderId } from "@venue/domain/OrderId"
import type { Account } from "../state/Participants.ts"

/** What a stop was placed on, beside its order. */
export interface StopTerms {
  /** Its order will pay this rate. */
  readonly takerRate: number
  /** Its account has this level, which a position fixes. */
  readonly leverage: number
  /** It came with this order, and is linked to the other stop that did; null for one that stands alone. */
  readonly parentId: OrderId | null
}

export interface Stop extends StopTerms {
  readonly account: Account
  /** The mark has to reach its price. It is replaced when the stop is modified or cut. */
  order: Order
  /** Of stops at one price, that with the lowest came first. */
  sequence: number
}

export interface Stops {
  readonly tickE8: number
  /** They stand in the order in which they were placed. */
  readonly byId: Map<string, Stop>
  readonly byAccount: Map<Account, ReadonlyArray<Stop>>
  /** They fire once the mark is at their price or above; the lowest and oldest stands last. */
  readonly rising: Array<Stop>
  /** They fire once the mark is at their price or below; the highest and oldest stands last. */
  readonly falling: Array<Stop>
  /** The mark has been at their price, and they fire in this order, whatever it is by then. */
  readonly due: Set<Stop>
  lastSequence: number
}

/** One account may have so many in one market, beside its orders on the book. */
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

/** Gives the stops of an account, the oldest first; the list is replaced, never changed. */
export const ofAccount = (stops: Stops, account: Account): ReadonlyArray<Stop> => stops.byAccount.get(account) ?? none

/** Returns the stops that carry this client order id as their own, the oldest first: those of a parent carry the parent's. */
export const standingAlone = (stops: Stops, account: Account, clientOrderId: string): ReadonlyArray<Stop> =>
  clientOrderId === ""
    ? none
    : ofAccount(stops, account).filter(
        ({ order, parentId }) => parentId === null && order.clientOrderId === clientOrderId
      )

/** Finds the other stop of the same parent. */
export const linked = (stops: Stops, stop: Stop): Stop | undefined =>
  stop.parentId === null
    ? undefined
    : ofAccount(stops, stop.account).find((other) => other !== stop && other.parentId?.text === stop.parentId?.text)

/** It is due at once where the mark is at its price already. */
export const add = (stops: Stops, account: Account, order: Order, terms: StopTerms, markE8: number): void => {
  const { leverage, parentId, takerRate } = terms
  const stop = { account, order, takerRate, leverage, parentId, sequence: ++stops.lastSequence }
  keep(stops, stop)
  wait(stops, stop, markE8)
}

/** Puts a stop among those of its account and of the market, where it neither waits nor is due yet. */
export const keep = (stops: Stops, stop: Stop): void => {
  stops.byId.set(stop.order.orderId.text, stop)
  stops.byAccount.set(stop.account, [...ofAccount(stops, stop.account), stop])
}

/** One that moves to another price comes behind those that are there. */
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

/** Those that the mark has come to are due from now on: those that fire above it first, the nearest before the others. */
export const reach = (stops: Stops, markE8: number): void => {
  for (const line of [stops.rising, stops.falling]) {
    while (line.length > 0 && isReached(stops, line.at(-1)!, markE8)) stops.due.add(line.pop()!)
  }
}

/** Puts a stop in its line, wherever the mark is. */
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

/** Finds where a stop stands in its line, or would: all before it fire later. */
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
