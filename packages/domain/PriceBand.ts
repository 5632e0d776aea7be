/** How far from the mark an order may be priced, and the static bounds of a day (rule 1, rule 5). */
import { divideUp, mulDivDown, mulDivUp, rateScale } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import type { Period } from "./MarketHours.ts"

/** Both ends are in ticks, and both are allowed. */
export interface PriceRange {
  readonly lowerTicks: number
  readonly upperTicks: number
}

/** The band reaches this far to either side, in basis points of the mark. */
export const widthBps = (instrument: Instrument, period: Period): number => {
  const narrow = instrument.category === "INDEX" || instrument.base === "GOLD"
  return widths[narrow ? "INDEX" : instrument.category][period]
}

/** Gives the band round a mark in 1e-8 USD, rounded inwards. */
export const band = (instrument: Instrument, period: Period, markE8: number): PriceRange =>
  around(instrument, markE8, widthBps(instrument, period))

/** Gives the bounds of a day round its reference in 1e-8 USD, rounded inwards. */
export const bounds = (instrument: Instrument, referenceE8: number): PriceRange =>
  around(instrument, referenceE8, 3_000)

/**
 * Prices the close of a whole position in ticks: five percent through the mark, rounded towards it, within band and
 * bounds.
 */
export const closingPrice = (instrument: Instrument, priced: Priced, isLong: boolean): number => {
  const through = around(instrument, priced.markE8, 500)
  return clipped(priced, isLong, isLong ? through.lowerTicks : through.upperTicks)
}

/** Gives the worst price in ticks that band and bounds leave of a limit. */
export const clipped = (
  { lowerTicks, maxPriceTicks, minPriceTicks, upperTicks }: Priced,
  isSell: boolean,
  limitTicks: number
): number =>
  isSell ? Math.max(limitTicks, lowerTicks, minPriceTicks) : Math.min(limitTicks, upperTicks, maxPriceTicks)

/**
 * Gives the worst price in ticks at which a stop may fill, rounded towards the mark: the nearer of the band's edge and
 * `mark x (1 -+ (maintenance margin rate - taker rate))`, so that an account which has that margin is left without debt,
 * but for the fee on what a buy pays above the mark (rule 15.5).
 */
export const stopBound = (
  instrument: Instrument,
  priced: Priced,
  isSell: boolean,
  leverage: number,
  takerRate: number
): number => {
  // The maintenance margin rate is two thirds of 1 / leverage; all is counted in 1 / (3 x leverage) of the rate's scale.
  const whole = 3 * leverage * rateScale
  const off = 2 * rateScale - 3 * leverage * takerRate
  const divisor = BigInt(whole) * BigInt(instrument.tickE8)
  const mark = BigInt(priced.markE8)
  return isSell
    ? Math.max(priced.lowerTicks, Number(divideUp(mark * BigInt(whole - off), divisor)))
    : Math.min(priced.upperTicks, Number((mark * BigInt(whole + off)) / divisor))
}

/** FX has no overnight; it takes the width of its open hours there. */
const widths: Record<Instrument["category"], Record<Period, number>> = {
  EQUITY: { OPEN: 1_000, OVERNIGHT: 700, WEEKEND: 500 },
  INDEX: { OPEN: 500, OVERNIGHT: 400, WEEKEND: 300 },
  COMMODITY: { OPEN: 700, OVERNIGHT: 500, WEEKEND: 400 },
  FX: { OPEN: 200, OVERNIGHT: 200, WEEKEND: 100 }
}

function around(instrument: Instrument, centreE8: number, bps: number): PriceRange {
  const divisor = instrument.tickE8 * 10_000
  return {
    lowerTicks: mulDivUp(centreE8, 10_000 - bps, divisor),
    upperTicks: mulDivDown(centreE8, 10_000 + bps, divisor)
  }
}
