/** Matching of the slow twin after acceptance: taking, resting, cutting, ending. */
import type { AccountId } from "@venue/domain/AccountId"
import { divideUp } from "@venue/domain/Decimal"
import { Id } from "@venue/domain/Id"
import type { Ended, MarketEvent, Place } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import * as TwinBuilders from "./TwinBuilders.ts"
import {
  added,
  book,
  holding,
  mayRest,
  reached,
  reducible,
  type Resting,
  sum,
  type Twin,
  type TwinStop
} from "./TwinState.ts"
import * as Stops from "./TwinStops.ts"

export type Emit = (event: MarketEvent) => void

/** Fee rate and leverage of the taking side of a trade. */
type Taking = Pick<Place, "takerRate" | "leverage">

/**
 * Matches the order against one resting order after another until the price limit, the quantity or the position to
 * reduce is exhausted.
 */
export function match(twin: Twin, taker: Resting, limit: number, terms: Taking, emit: Emit): void {
  const makers: Array<AccountId> = []
  for (;;) {
    const { accountId, reduceOnly, remainingLots, side, userId } = taker.order
    const wanted = reduceOnly ? Math.min(remainingLots, reducible(twin, accountId, side)) : remainingLots
    const maker = reached(twin, side, limit)[0]
    if (wanted === 0 || maker === undefined) break
    if (maker.order.userId === userId) leave(twin, maker, null, "CANCELLED_STP", emit)
    else {
      makers.push(maker.order.accountId)
      trade(twin, maker, taker, Math.min(wanted, maker.order.remainingLots), terms, emit)
    }
  }
  for (const accountId of [...makers, taker.order.accountId]) shrinkStops(twin, accountId, emit)
}

function trade(twin: Twin, maker: Resting, taker: Resting, lots: number, terms: Taking, emit: Emit): void {
  const { priceTicks } = maker.order
  const notional = BigInt(priceTicks) * BigInt(lots) * BigInt(twin.instrument.tickLotMicros)
  const fill = (one: Resting, rate: number, leverage: number) => {
    const held = holding(twin, one.order.accountId)
    const larger = (notional / BigInt(lots)) * BigInt(added(held.quantity, one.order.side, lots))
    const marginUsed = Number(divideUp(larger, BigInt(leverage)))
    const fee = divideUp(notional * BigInt(rate), 100_000_000n)
    one.order = { ...one.order, remainingLots: one.order.remainingLots - lots, updatedAtMillis: twin.timeMillis }
    const realised = book(held, one.order.side, lots, notional, fee)
    const reward = TwinBuilders.reward(twin, one.order.builderCode, fee)
    return { order: one.order, fee: Number(fee), realised: Number(realised), marginUsed, reward }
  }
  const atMillis = twin.timeMillis
  twin.trades++
  const fills = {
    maker: fill(maker, maker.makerRate, maker.leverage),
    taker: fill(taker, terms.takerRate, terms.leverage)
  }
  emit({
    _tag: "Traded",
    tradeId: unnamed,
    number: 0,
    priceTicks,
    quantityLots: lots,
    notional: Number(notional),
    ...fills,
    atMillis
  })
  if (maker.order.remainingLots === 0) twin.resting = twin.resting.filter((resting) => resting !== maker)
  const accounts = [maker.order.accountId, taker.order.accountId]
  for (const accountId of accounts) shrink(twin, accountId, emit)
  for (const [one, leverage] of [
    [maker, maker.leverage],
    [taker, terms.leverage]
  ] as const)
    attach(twin, one.order, lots, leverage, emit)
}

/** Cuts open reduce-only orders, newest first, until they fit the position. */
export function shrink(twin: Twin, accountId: AccountId, emit: Emit): void {
  for (const side of ["BUY", "SELL"] as const) {
    const live = twin.resting.filter(
      ({ order }) => order.accountId === accountId && order.reduceOnly && order.side === side
    )
    let excess = sum(live) - reducible(twin, accountId, side)
    for (const resting of live.sort((a, b) => b.acceptedNumber - a.acceptedNumber)) {
      const { remainingLots } = resting.order
      if (excess >= remainingLots) leave(twin, resting, null, "CANCELLED", emit)
      else cut(twin, resting, excess, emit)
      excess -= remainingLots
    }
  }
}

export function cut(twin: Twin, resting: Resting, lots: number, emit: Emit): void {
  if (lots <= 0) return
  const { quantityLots, remainingLots } = resting.order
  const left = { quantityLots: quantityLots - lots, remainingLots: remainingLots - lots }
  resting.order = { ...resting.order, ...left, modified: true, updatedAtMillis: twin.timeMillis }
  emit({ _tag: "Modified", commandId: null, order: resting.order, requeued: false, atMillis: twin.timeMillis })
}

/**
 * Returns the quantity that a reduce-only order is allowed to have: the position, or for a resting order the quantity
 * that other open reduce-only orders leave. An order that takes immediately has priority, because the others are cut
 * when the position shrinks.
 */
export function room(twin: Twin, order: Order): number {
  const takes = order.type !== "ALO" && reached(twin, order.side, order.priceTicks).length > 0
  return mayRest(order) && !takes ? roomBeside(twin, order) : reducible(twin, order.accountId, order.side)
}

function roomBeside(twin: Twin, { accountId, orderId, side }: Order): number {
  const live = twin.resting.filter((resting) => resting.order.accountId === accountId && resting.order.reduceOnly)
  const others = live.filter((resting) => resting.order.side === side && resting.order.orderId.text !== orderId.text)
  return reducible(twin, accountId, side) - sum(others)
}

export function rest(twin: Twin, incoming: Resting, emit: Emit): void {
  const { order } = incoming
  const excess = order.reduceOnly ? order.remainingLots - roomBeside(twin, order) : 0
  if (order.remainingLots === 0) return
  if (excess >= order.remainingLots) return leave(twin, incoming, null, "CANCELLED", emit)
  cut(twin, incoming, excess, emit)
  twin.resting.push(incoming)
}

export function leave(twin: Twin, leaving: Resting, commandId: Id | null, status: Ended["status"], emit: Emit): void {
  twin.resting = twin.resting.filter((resting) => resting !== leaving)
  emit({ _tag: "Ended", commandId, order: leaving.order, status, atMillis: twin.timeMillis })
}

export function endStop(twin: Twin, stop: TwinStop, commandId: Id | null, emit: Emit): void {
  twin.stops = twin.stops.filter((other) => other !== stop)
  emit({ _tag: "Ended", commandId, order: stop.order, status: "CANCELLED", atMillis: twin.timeMillis })
}

/** Creates or grows the attached stops of a fill, limited to the position on its side. */
function attach(twin: Twin, parent: Order, lots: number, leverage: number, emit: Emit): void {
  const { bracket, ...plain } = parent
  const side = parent.side === "BUY" ? "SELL" : "BUY"
  const most = reducible(twin, parent.accountId, side)
  if (bracket === undefined || most === 0) return
  for (const type of ["TAKE_PROFIT", "STOP_LOSS"] as const) {
    const priceTicks = type === "TAKE_PROFIT" ? bracket.takeProfitTicks : bracket.stopLossTicks
    if (priceTicks === 0) continue
    const orderId = Stops.childOf(parent.orderId, type, twin.trades)
    const known = twin.stops.find(
      ({ order, parentId }) => order.type === type && parentId?.text === parent.orderId.text
    )
    const size = Math.min(most, lots + (known?.order.remainingLots ?? 0))
    const changed = { quantityLots: size, remainingLots: size, updatedAtMillis: twin.timeMillis }
    const atMillis = twin.timeMillis
    if (known === undefined) {
      const kind = { side, type, timeInForce: "GTC", reduceOnly: true, modified: false } as const
      const order: Order = { ...plain, ...kind, ...changed, orderId, priceTicks }
      const stopTerms = { takerRate: bracket.takerRate, leverage, parentId: parent.orderId }
      emit({ _tag: "StopPlaced", commandId: null, expiresAtMillis: 0, order, ...stopTerms, atMillis })
      Stops.placed(twin, order, stopTerms)
    } else if (size !== known.order.remainingLots) {
      known.order = { ...known.order, ...changed, modified: true }
      emit({ _tag: "Modified", commandId: null, order: known.order, requeued: false, atMillis })
    }
  }
}

/** Cuts stops to the position, or ends them if the position is zero. */
export function shrinkStops(twin: Twin, accountId: AccountId, emit: Emit): void {
  for (const stop of Stops.ofAccount(twin, accountId)) {
    const lots = Math.min(stop.order.remainingLots, reducible(twin, accountId, stop.order.side))
    if (lots === 0) endStop(twin, stop, null, emit)
    else if (lots < stop.order.remainingLots) {
      const cut = { quantityLots: lots, remainingLots: lots, modified: true, updatedAtMillis: twin.timeMillis }
      stop.order = { ...stop.order, ...cut }
      emit({ _tag: "Modified", commandId: null, order: stop.order, requeued: false, atMillis: twin.timeMillis })
    }
  }
}

/** Placeholder trade id. The twin has no trade ids, so they are not compared. */
const unnamed = new Id(0, 0, 0, 0)
