/** What one account has at stake in one market: its position, its orders and those on their way, and their margin. */
import { type FeeRates, ratesOf } from "@venue/domain/Fee"
import type { Instrument } from "@venue/domain/Instrument"
import { maintenanceMargin as ofNotional, maxNotional } from "@venue/domain/Leverage"
import type { Order, Side } from "@venue/domain/Order"
import { flat, type Position } from "@venue/domain/Position"
import { type OrderHold, nothing, type Sums } from "./OrderHold.ts"
import * as Valuation from "./Valuation.ts"

/** A stop as its market has told it. */
export interface Stop {
  readonly order: Order
  /** It came with an order, whose client order id it carries. */
  readonly isAttached: boolean
  /** Orders and stops that were placed later have higher ones. */
  readonly sequence: number
  /** It was placed then; of one that came with a view of its market, this is when it had changed last. */
  readonly placedByMillis: number
}

export interface Exposure {
  /** It is replaced when its limits change. */
  instrument: Instrument
  readonly valuation: Valuation.Valuation
  /** Those of the trader's tier. */
  rates: FeeRates
  readonly position: Position
  /** Orders that the market has accepted and placements on their way stand by order id. */
  readonly holds: Map<string, OrderHold>
  readonly buys: Sums
  readonly sells: Sums
  /** Stops by order id: they hold no margin, since they can only shrink the position. */
  readonly stops: Map<string, Stop>
  leverage: number
  /** The leverage has this position limit in money. */
  maxNotional: number
  /** So many commands of any kind have no known outcome. */
  pending: number
  /** Something was filled since the trader woke. */
  traded: boolean
  /** A takeover of the position is open (rule 9). */
  frozen: boolean
  /** The figures below are behind what is above. */
  stale: boolean
  /** The figures hold at this mark, in 1e-8 USD; 0 while none is known. */
  markE8: number
  /**
   * The same orders are priced through every mark from here to there, both included; where `from` is larger, through
   * none.
   */
  crossesSameFrom: number
  crossesSameTo: number
  /** The position is worth this money at the mark, signed and rounded down; its cost while no mark is known. */
  value: number
  positionMargin: number
  orderMargin: number
  /** This market adds so much to the account's equity. */
  equity: number
}

export const make = (instrument: Instrument, leverage: number, tier: number): Exposure => ({
  instrument,
  valuation: Valuation.make(instrument),
  rates: ratesOf(instrument, tier),
  position: flat(),
  holds: new Map(),
  buys: nothing(),
  sells: nothing(),
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

/** The same contract with other limits. */
export const setLimits = (exposure: Exposure, instrument: Instrument): void => {
  exposure.instrument = instrument
  exposure.maxNotional = maxNotional(instrument, exposure.leverage)
}

/** Orders that are placed from now on pay the rates of this tier. */
export const setTier = (exposure: Exposure, tier: number): void => {
  exposure.rates = ratesOf(exposure.instrument, tier)
}

/** Adds a hold to the sums of its side. An order being modified counts as the dearer of what it may be. */
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

/** Takes away exactly what `count` added. */
export const uncount = (exposure: Exposure, { counted, side }: OrderHold): void => {
  const sums = sumsOf(exposure, side)
  sums.lots -= counted.lots
  sums.value -= counted.value
  sums.crossedLots -= counted.crossedLots
  sums.crossedValue -= counted.crossedValue
  exposure.stale = true
}

/** Brings the figures to a mark (rule 7, rule 8). Margins and open losses round up, values down. */
export const reckon = (exposure: Exposure, markE8: number): void => {
  const { leverage, position, valuation } = exposure
  if (markE8 !== exposure.markE8) {
    exposure.markE8 = markE8
    if (markE8 < exposure.crossesSameFrom || markE8 > exposure.crossesSameTo) recross(exposure)
  }
  const held = Math.abs(position.quantityLots)
  // The position covers so much of the orders that would close it.
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

/** Says whether an order of that side is against the position. */
export const reduces = ({ position }: Exposure, side: Side): boolean =>
  side === "BUY" ? position.quantityLots < 0 : position.quantityLots > 0

/** Says whether all orders of a side together, with so many lots more, can only shrink the position. */
export const coversSide = ({ buys, position, sells }: Exposure, side: Side, moreLots = 0): boolean =>
  side === "BUY" ? buys.lots + moreLots <= -position.quantityLots : sells.lots + moreLots <= position.quantityLots

/** Gives the margin that keeps the position at the mark, rounded up; at its cost while no mark is known (rule 7.3). */
export const maintenanceMargin = ({ leverage, markE8, position, valuation }: Exposure): number => {
  const held = Math.abs(position.quantityLots)
  if (held === 0) return 0
  return markE8 === 0
    ? Number(ofNotional(BigInt(Math.abs(position.basis)), leverage))
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

/** An order being modified may be several orders, of which the one that would lose most counts. */
function cross(exposure: Exposure, hold: OrderHold, sums: Sums): void {
  const { counted } = hold
  counted.crossedLots = 0
  counted.crossedValue = 0
  if (hold.reduceOnly || exposure.markE8 === 0) return
  // At any mark it may be another one of them that would lose most.
  if (hold.replacements.length > 0) exposure.crossesSameTo = 0
  else bound(exposure, hold.side, hold.priceTicks * exposure.instrument.tickE8)
  dearer(exposure, hold, hold.lots, hold.priceTicks)
  for (const { lots, priceTicks } of hold.replacements) dearer(exposure, hold, lots, priceTicks)
  sums.crossedLots += counted.crossedLots
  sums.crossedValue += counted.crossedValue
}

/** A buy crosses a mark below it, a sell one above it. */
function bound(exposure: Exposure, side: Side, priceE8: number): void {
  const isAbove = side === "BUY" ? priceE8 > exposure.markE8 : priceE8 >= exposure.markE8
  const last = side === "BUY" ? priceE8 - 1 : priceE8
  if (isAbove) exposure.crossesSameTo = Math.min(exposure.crossesSameTo, last)
  else exposure.crossesSameFrom = Math.max(exposure.crossesSameFrom, last + 1)
}

function dearer(
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
