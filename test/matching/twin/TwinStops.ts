/** Independent slow implementation of stops: one array, scanned and sorted at each query. */
import type { AccountId } from "@venue/domain/AccountId"
import { divideUp } from "@venue/domain/Decimal"
import { version4 } from "@venue/domain/Id"
import type { Modify, Priced } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import type { OrderRefusal } from "@venue/domain/Reject"
import { reducible, type Twin, type TwinStop } from "./TwinState.ts"

export const isStop = ({ type }: Pick<Order, "type">): boolean => type === "TAKE_PROFIT" || type === "STOP_LOSS"

export const ofAccount = (twin: Twin, accountId: AccountId): ReadonlyArray<TwinStop> =>
  twin.stops.filter(({ order }) => order.accountId === accountId).sort((a, b) => a.acceptedNumber - b.acceptedNumber)

/**
 * Returns the reason to refuse a new or modified stop, or undefined. Only a new stop counts towards the limit of
 * fifty.
 */
export const flaw = (twin: Twin, order: Order, isNew: boolean): OrderRefusal | undefined => {
  if (isNew && left(twin, order) < 1) return "REJECTED_TOO_MANY_OPEN_ORDERS"
  return order.quantityLots > reducible(twin, order.accountId, order.side) ? "REJECTED" : undefined
}

/**
 * Returns how many of fifty stops are free. The account's stops use one each, and every other open order with
 * attached stops uses two.
 */
export const left = ({ resting, stops }: Twin, { accountId, orderId }: Order): number => {
  const parents = resting.filter(({ order }) => order.accountId === accountId && order.bracket !== undefined)
  const isOfOne = (id: OrderId | null) => parents.some(({ order }) => order.orderId.text === id?.text)
  const alone = stops.filter(({ order, parentId }) => order.accountId === accountId && !isOfOne(parentId))
  return 50 - alone.length - 2 * parents.filter(({ order }) => order.orderId.text !== orderId.text).length
}

export const placed = (
  twin: Twin,
  order: Order,
  { leverage, parentId, takerRate }: Pick<TwinStop, "leverage" | "parentId" | "takerRate">
): void => {
  const number = ++twin.numbers
  const stop: TwinStop = {
    order,
    takerRate,
    leverage,
    parentId,
    acceptedNumber: number,
    queuedNumber: number,
    dueNumber: undefined
  }
  twin.stops.push(stop)
  come(twin, [stop])
}

export const wanted = (order: Order, { priceTicks, quantityLots }: Modify, atMillis: number): Order => {
  const lots = quantityLots || order.quantityLots
  const price = priceTicks || order.priceTicks
  return {
    ...order,
    priceTicks: price,
    quantityLots: lots,
    remainingLots: lots,
    modified: true,
    updatedAtMillis: atMillis
  }
}

export const moved = (twin: Twin, stop: TwinStop): void => {
  stop.queuedNumber = ++twin.numbers
  stop.dueNumber = undefined
  come(twin, [stop])
}

/** Marks the stops that the new mark has reached as due. */
export const marked = (twin: Twin): void =>
  come(
    twin,
    twin.stops.filter(({ dueNumber }) => dueNumber === undefined)
  )

/** Returns the other stop of the same order. */
export const linked = (twin: Twin, stop: TwinStop): TwinStop | undefined =>
  twin.stops.find((other) => other !== stop && other.parentId !== null && other.parentId.text === stop.parentId?.text)

/** Derives a stop's id from its order's id and the trade that created it. */
export const childOf = ({ a, b, c, d }: OrderId, type: "TAKE_PROFIT" | "STOP_LOSS", trades: number): OrderId => {
  const turned = type === "TAKE_PROFIT" ? 0x2545f491 : 0x1b873593
  return orderIdFrom(version4(a ^ turned, b ^ Math.imul(turned, 0x85ebca6b), c ^ turned, d ^ trades))
}

/** Returns the next stop to fire. */
export const next = (twin: Twin): TwinStop | undefined =>
  twin.stops.filter(({ dueNumber }) => dueNumber !== undefined).sort((a, b) => a.dueNumber! - b.dueNumber!)[0]

/**
 * Returns the worst allowed price: the edge of the band, or the price at which maintenance margin minus the fee is
 * used up, if that price is nearer to the mark.
 */
export const worst = ({ instrument }: Twin, prices: Priced, { leverage, order, takerRate }: TwinStop): number => {
  // In units of 1 / (3 x leverage x 1e8): one, and 2 / (3 x leverage) minus the fee rate.
  const parts = 3n * BigInt(leverage) * 100_000_000n
  const spare = 200_000_000n - 3n * BigInt(leverage) * BigInt(takerRate)
  const tick = parts * BigInt(instrument.tickE8)
  const mark = BigInt(prices.markE8)
  return order.side === "SELL"
    ? Math.max(prices.lowerTicks, Number(divideUp(mark * (parts - spare), tick)))
    : Math.min(prices.upperTicks, Number((mark * (parts + spare)) / tick))
}

const firesAbove = ({ order }: TwinStop) => (order.side === "SELL") === (order.type === "TAKE_PROFIT")

function come(twin: Twin, stops: ReadonlyArray<TwinStop>): void {
  const { instrument, prices } = twin
  if (prices === undefined || prices.source === "stale" || twin.letsIn !== "TRADING") return
  const trigger = ({ order }: TwinStop) => order.priceTicks * instrument.tickE8
  const above = stops.filter((stop) => firesAbove(stop) && prices!.markE8 >= trigger(stop))
  const below = stops.filter((stop) => !firesAbove(stop) && prices!.markE8 <= trigger(stop))
  above.sort((a, b) => trigger(a) - trigger(b) || a.queuedNumber - b.queuedNumber)
  below.sort((a, b) => trigger(b) - trigger(a) || a.queuedNumber - b.queuedNumber)
  for (const stop of [...above, ...below]) stop.dueNumber = ++twin.numbers
}
