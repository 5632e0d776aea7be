/** Exposure of one account in one market: position, orders, in-flight commands and their margin. Money in 1e-6 USD. */
import { type FeeRates, ratesOf } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import { maintenanceMargin as maintenanceOfNotional, maxNotional } from "@venue/domain/Leverage"
import type { Order, Side } from "@venue/domain/Order"
import { flat, type Position } from "@venue/domain/Position"
import { type OrderHold, zeroSums, type Sums } from "./OrderHold.ts"
import * as Valuation from "./Valuation.ts"

/** A stop as its market reports it. */
export interface Stop {
  readonly order: Order
  /** True if the stop is attached to an order, whose client order id the stop then carries. */
  readonly isAttached: boolean
  /** Placement number; later orders and stops have higher numbers. */
  readonly sequence: number
  /** Placement time. For a stop from a market's view, the time of its last change. */
  readonly placedByMillis: number
}

/** An exposure; its single owner changes it in place. */
export interface Exposure {
  /** Replaced when the instrument's limits change. */
  instrument: Instrument
  readonly valuation: Valuation.Valuation
  /** Fee rates of the user's tier. */
  rates: FeeRates
  readonly position: Position
  /** Holds of accepted orders and in-flight placements, by order id. */
  readonly holds: Map<string, OrderHold>
  readonly buys: Sums
  readonly sells: Sums
  /** Stops by order id; they hold no margin because they can only shrink the position. */
  readonly stops: Map<string, Stop>
  leverage: number
  /** Position limit at the chosen leverage, in 1e-6 USD. */
  maxNotional: number
  /** Number of commands of any kind whose outcome is not yet known. */
  pending: number
  /** True if an order was filled since the trader was loaded. */
  traded: boolean
  /** True while a takeover of the position is open (rule 9.9). */
  frozen: boolean
  /** True if the fields below do not yet reflect the fields above. */
  stale: boolean
  /** Mark price at which the fields below were computed, in 1e-8 USD; 0 if no mark is known. */
  markE8: number
  /**
   * Inclusive range of marks that are crossed by the same orders; empty if `crossesSameFrom` exceeds `crossesSameTo`.
   */
  crossesSameFrom: number
  crossesSameTo: number
  /** Signed value of the position at the mark, rounded down; the position's cost if no mark is known. */
  value: number
  positionMargin: number
  orderMargin: number
  /** This market's contribution to the account's equity. */
  equity: number
}

export const make = (instrument: Instrument, leverage: number, tier: number): Exposure => ({
  instrument,
  valuation: Valuation.make(instrument),
  rates: ratesOf(instrument, tier),
  position: flat(),
  holds: new Map(),
  buys: zeroSums(),
  sells: zeroSums(),
  stops: new Map(),
  leverage,
  maxNotional: maxNotional(instrument, leverage),
  pending: 0,
  traded: false,
  frozen: false,
  stale: false,
  markE8: 0,
  crossesSameFrom: 0,
  crossesSameTo: 0,
  value: 0,
  positionMargin: 0,
  orderMargin: 0,
  equity: 0
})

export const setLeverage = (exposure: Exposure, leverage: number): void => {
  exposure.leverage = leverage
  exposure.maxNotional = maxNotional(exposure.instrument, leverage)
  exposure.stale = true
}

/** Replaces the instrument with the same contract under other limits. */
export const setLimits = (exposure: Exposure, instrument: Instrument): void => {
  exposure.instrument = instrument
  exposure.maxNotional = maxNotional(instrument, exposure.leverage)
}

/** Sets the fee rates for orders placed from now on. */
export const setTier = (exposure: Exposure, tier: number): void => {
  exposure.rates = ratesOf(exposure.instrument, tier)
}

/** Adds a hold to its side's sums. While a modify is in flight, the order's most expensive possible state counts. */
export const count = (exposure: Exposure, hold: OrderHold): void => {
  const { counted } = hold
  const unit = exposure.instrument.tickLotMicros
  counted.lots = hold.lots
  counted.value = hold.reduceOnly ? 0 : hold.lots * hold.priceTicks * unit
  for (const { lots, priceTicks } of hold.replacements) {
    counted.lots = Math.max(counted.lots, lots)
    if (!hold.reduceOnly) counted.value = Math.max(counted.value, lots * priceTicks * unit)
  }
  const sums = sumsOf(exposure, hold.side)
  sums.lots += counted.lots
  sums.value += counted.value
  cross(exposure, hold, sums)
  exposure.stale = true
}

/** Subtracts exactly what `count` added. */
export const uncount = (exposure: Exposure, { counted, side }: OrderHold): void => {
  const sums = sumsOf(exposure, side)
  sums.lots -= counted.lots
  sums.value -= counted.value
  sums.crossedLots -= counted.crossedLots
  sums.crossedValue -= counted.crossedValue
  exposure.stale = true
}

/** Computes the mark-dependent fields (rule 7, rule 8). Margins and open losses round up, values round down. */
export const valueAt = (exposure: Exposure, markE8: number): void => {
  const { leverage, position, valuation } = exposure
  if (markE8 !== exposure.markE8) {
    exposure.markE8 = markE8
    if (markE8 < exposure.crossesSameFrom || markE8 > exposure.crossesSameTo) recross(exposure)
  }
  const held = Math.abs(position.quantityLots)
  // Part of the closing orders' value that the position covers.
  let covered = 0
  if (held === 0) {
    exposure.value = 0
    exposure.positionMargin = 0
  } else if (markE8 === 0) {
    covered = Math.abs(position.basis)
    exposure.value = position.basis
    exposure.positionMargin = Math.ceil(covered / leverage)
  } else {
    covered = Valuation.down(valuation, held, markE8)
    exposure.value = position.quantityLots > 0 ? covered : -Valuation.up(valuation, held, markE8)
    exposure.positionMargin = Valuation.marginUp(valuation, held, markE8, leverage)
  }
  exposure.equity = position.cashFlow + exposure.value - position.fees + position.funding + position.rewards
  exposure.orderMargin = orderMargin(exposure, covered)
  exposure.stale = false
}

/** Returns true if an order on that side would reduce the position. */
export const reduces = ({ position }: Exposure, side: Side): boolean =>
  side === "BUY" ? position.quantityLots < 0 : position.quantityLots > 0

/** Returns true if all orders of a side, plus `moreLots`, can only shrink the position. */
export const coversSide = ({ buys, position, sells }: Exposure, side: Side, moreLots = 0): boolean =>
  side === "BUY" ? buys.lots + moreLots <= -position.quantityLots : sells.lots + moreLots <= position.quantityLots

/** Returns the position's maintenance margin at the mark, or at its cost if no mark is known; rounded up (rule 7.3). */
export const maintenanceMargin = ({ leverage, markE8, position, valuation }: Exposure): number => {
  const held = Math.abs(position.quantityLots)
  if (held === 0) return 0
  return markE8 === 0
    ? Number(maintenanceOfNotional(BigInt(Math.abs(position.basis)), leverage))
    : Valuation.maintenanceUp(valuation, held, markE8, leverage)
}

function orderMargin({ buys, leverage, markE8, position, sells, valuation }: Exposure, covered: number): number {
  const bare = Math.max(
    position.quantityLots < 0 ? buys.value - covered : buys.value,
    position.quantityLots > 0 ? sells.value - covered : sells.value
  )
  let margin = bare > 0 ? Math.ceil(bare / leverage) : 0
  if (buys.crossedLots > 0) margin += buys.crossedValue - Valuation.down(valuation, buys.crossedLots, markE8)
  if (sells.crossedLots > 0) margin += Valuation.up(valuation, sells.crossedLots, markE8) - sells.crossedValue
  return margin
}

function recross(exposure: Exposure): void {
  const { buys, holds, markE8, sells } = exposure
  exposure.crossesSameFrom = markE8 === 0 ? 0 : 1
  exposure.crossesSameTo = markE8 === 0 ? 0 : Infinity
  buys.crossedLots = buys.crossedValue = sells.crossedLots = sells.crossedValue = 0
  for (const hold of holds.values()) cross(exposure, hold, sumsOf(exposure, hold.side))
}

/** Updates a hold's open loss. While a modify is in flight, the possible state with the largest loss counts. */
function cross(exposure: Exposure, hold: OrderHold, sums: Sums): void {
  const { counted } = hold
  counted.crossedLots = 0
  counted.crossedValue = 0
  if (hold.reduceOnly || exposure.markE8 === 0) return
  // The state with the largest loss depends on the mark, so the result is valid for this mark only.
  if (hold.replacements.length > 0) exposure.crossesSameTo = 0
  else bound(exposure, hold.side, hold.priceTicks * exposure.instrument.tickE8)
  useIfDearer(exposure, hold, hold.lots, hold.priceTicks)
  for (const { lots, priceTicks } of hold.replacements) useIfDearer(exposure, hold, lots, priceTicks)
  sums.crossedLots += counted.crossedLots
  sums.crossedValue += counted.crossedValue
}

/**
 * Narrows the range of marks that are crossed by the same orders. A buy crosses a mark below its price, a sell a mark
 * above it.
 */
function bound(exposure: Exposure, side: Side, priceE8: number): void {
  const isAbove = side === "BUY" ? priceE8 > exposure.markE8 : priceE8 >= exposure.markE8
  const last = side === "BUY" ? priceE8 - 1 : priceE8
  if (isAbove) exposure.crossesSameTo = Math.min(exposure.crossesSameTo, last)
  else exposure.crossesSameFrom = Math.max(exposure.crossesSameFrom, last + 1)
}

function useIfDearer(
  { instrument, markE8, valuation }: Exposure,
  { counted, side }: OrderHold,
  lots: number,
  priceTicks: number
): void {
  const priceE8 = priceTicks * instrument.tickE8
  if (side === "BUY" ? priceE8 <= markE8 : priceE8 >= markE8) return
  const value = lots * priceTicks * instrument.tickLotMicros
  if (counted.crossedLots > 0) {
    const cost = BigInt(value - counted.crossedValue) * BigInt(valuation.divisor)
    const worth = BigInt((lots - counted.crossedLots) * valuation.factor) * BigInt(markE8)
    if (side === "BUY" ? cost <= worth : cost >= worth) return
  }
  counted.crossedLots = lots
  counted.crossedValue = value
}

function sumsOf({ buys, sells }: Exposure, side: Side): Sums {
  return side === "BUY" ? buys : sells
}
