/** Quotes that a market maker wants in one symbol, and the actions that lead to these quotes. Pure. */
import type { Listing } from "./Listing.ts"

export type Side = "BUY" | "SELL"

export interface QuoteTerms {
  readonly levelsPerSide: number
  readonly levelUsd: number
  /** Distance from the centre to the best quote, and from each level to the next. */
  readonly halfSpreadBps: number
  readonly stepBps: number
  /** Distance from the wanted price above which a quote moves. */
  readonly toleranceBps: number
  /** Position at which the side that increases it stops quoting. */
  readonly maxInventoryUsd: number
  /** Shift of the centre at a full position. */
  readonly skewBps: number
}

export const usualTerms: QuoteTerms = {
  levelsPerSide: 3,
  levelUsd: 5_000,
  halfSpreadBps: 3,
  stepBps: 3,
  toleranceBps: 1,
  maxInventoryUsd: 100_000,
  skewBps: 4
}

/** Wanted quote; `slot` identifies it while its price moves. */
export interface Quote {
  readonly slot: string
  readonly side: Side
  readonly ticks: number
  readonly lots: number
}

/**
 * A sent quote. It is `Sending` until the first response, then `Resting`, or `Moving` or `Cancelling` while a modify
 * or a cancel is in flight.
 */
export interface Working extends Quote {
  readonly clientOrderId: string
  /** Empty until the order is acknowledged. */
  readonly orderId: string
  readonly remainingLots: number
  readonly state: "Sending" | "Resting" | "Moving" | "Cancelling"
  readonly sinceMillis: number
}

export type Action =
  | { readonly _tag: "Add"; readonly quote: Quote }
  | { readonly _tag: "Move"; readonly working: Working; readonly ticks: number }
  | { readonly _tag: "Cancel"; readonly working: Working }

/** Returns the quotes around a mark: bids below, offers above, levels at least one tick apart. */
export const wanted = (
  listing: Listing,
  markUsd: number,
  positionLots: number,
  terms: QuoteTerms
): ReadonlyArray<Quote> => {
  const inventory = ((positionLots / listing.lotsPerUnit) * markUsd) / terms.maxInventoryUsd
  const leaning = Math.max(-1, Math.min(1, inventory))
  const centre = markUsd * listing.ticksPerUnit * (1 - (leaning * terms.skewBps) / 10_000)
  const size = Math.ceil((terms.levelUsd / markUsd) * listing.lotsPerUnit)
  const lots = Math.max(listing.minLots, Math.min(listing.maxLots, size))
  const quotes: Array<Quote> = []
  let bid = Math.ceil(centre)
  let ask = Math.floor(centre)
  for (let level = 0; level < terms.levelsPerSide; level++) {
    const away = (centre * (terms.halfSpreadBps + level * terms.stepBps)) / 10_000
    bid = Math.min(bid - 1, Math.floor(centre - away))
    ask = Math.max(ask + 1, Math.ceil(centre + away))
    if (inventory < 1 && bid > 0) quotes.push({ slot: `BUY${level}`, side: "BUY", ticks: bid, lots })
    if (inventory > -1) quotes.push({ slot: `SELL${level}`, side: "SELL", ticks: ask, lots })
  }
  return quotes
}

/**
 * Returns the actions. A quote with a command in flight is left unchanged until the response is overdue, and is then
 * cancelled. The side that moves away from the opposite side moves first, so that own quotes do not cross.
 */
export const plan = (
  wants: ReadonlyArray<Quote>,
  has: Iterable<Working>,
  terms: QuoteTerms,
  nowMillis: number
): ReadonlyArray<Action> => {
  const working = new Map<string, Working>()
  const cancels: Array<Action> = []
  for (const order of has) {
    if (!working.has(order.slot)) working.set(order.slot, order)
    else if (isFree(order, nowMillis)) cancels.push({ _tag: "Cancel", working: order })
  }
  const moves: Array<Action & { readonly _tag: "Move" }> = []
  const adds: Array<Action> = []
  for (const quote of wants) {
    const order = working.get(quote.slot)
    working.delete(quote.slot)
    if (order === undefined) {
      adds.push({ _tag: "Add", quote })
    } else if (isOverdue(order, nowMillis)) {
      cancels.push({ _tag: "Cancel", working: order })
    } else if (order.state === "Resting") {
      const change = changeOf(order, quote, terms)
      if (change?._tag === "Move") moves.push(change)
      else if (change !== undefined) cancels.push(change)
    }
  }
  for (const order of working.values()) {
    if (isFree(order, nowMillis)) cancels.push({ _tag: "Cancel", working: order })
  }
  const isRising = moves.some(({ ticks, working: { ticks: from } }) => ticks > from)
  moves.sort((a, b) => rank(a.working.side, isRising) - rank(b.working.side, isRising))
  return [...cancels, ...moves, ...adds]
}

/** Returns a quote's change. A partly filled order cannot be modified: it is cancelled, and a new quote replaces it. */
function changeOf(order: Working, quote: Quote, terms: QuoteTerms): Action | undefined {
  const isAway = Math.abs(order.ticks - quote.ticks) > (quote.ticks * terms.toleranceBps) / 10_000
  const isPartlyFilled = order.remainingLots < order.lots
  if (isPartlyFilled && (isAway || order.remainingLots * 2 <= order.lots)) return { _tag: "Cancel", working: order }
  return isAway ? { _tag: "Move", working: order, ticks: quote.ticks } : undefined
}

/** Time after which a command without a response counts as failed. */
const overdueMillis = 10_000

function isOverdue(order: Working, nowMillis: number): boolean {
  return order.state !== "Resting" && nowMillis - order.sinceMillis > overdueMillis
}

function isFree(order: Working, nowMillis: number): boolean {
  return order.state === "Resting" || isOverdue(order, nowMillis)
}

function rank(side: Side, isRising: boolean): number {
  return (side === "SELL") === isRising ? 0 : 1
}
