/** Price bands around the mark and price bounds of a day (rule 1.6, rule 5). */
import { divideUp, mulDivDown, mulDivUp, rateScale } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"
import type { Priced } from "./Market.ts"
import type { Period } from "./MarketHours.ts"

/** A price range in ticks that includes both ends. */
export interface PriceRange {
  readonly lowerTicks: number
  readonly upperTicks: number
}

/** Returns the distance from the mark to each edge of the band, in basis points of the mark (rule 5.2). */
export const widthBps = (instrument: Instrument, period: Period): number => {
  const narrow = instrument.category === "INDEX" || instrument.base === "GOLD"
  return widths[narrow ? "INDEX" : instrument.category][period]
}

/** Returns the band around a mark in 1e-8 USD, rounded inwards to the tick (rule 5.1). */
export const band = (instrument: Instrument, period: Period, markE8: number): PriceRange =>
  bandAround(instrument, markE8, widthBps(instrument, period))

/** Returns the bounds of a day, 30 % around its reference price in 1e-8 USD, rounded inwards to the tick (rule 1.6). */
export const bounds = (instrument: Instrument, referenceE8: number): PriceRange =>
  bandAround(instrument, referenceE8, 3_000)

/**
 * Returns the limit price in ticks for closing a whole position: 5 % through the mark, rounded towards it, within band
 * and bounds (rule 4.12).
 */
export const closingPrice = (instrument: Instrument, priced: Priced, isLong: boolean): number => {
  const through = bandAround(instrument, priced.markE8, 500)
  return clipped(priced, isLong, isLong ? through.lowerTicks : through.upperTicks)
}

/** Returns the worst price in ticks that limit, band and bounds all permit. */
export const clipped = (
  { lowerTicks, maxPriceTicks, minPriceTicks, upperTicks }: Priced,
  isSell: boolean,
  limitTicks: number
): number =>
  isSell ? Math.max(limitTicks, lowerTicks, minPriceTicks) : Math.min(limitTicks, upperTicks, maxPriceTicks)

/**
 * Returns the worst price in ticks at which a stop can fill, rounded towards the mark: the nearer of the edge of the
 * band and `mark x (1 -+ (maintenance margin rate - taker rate))`. At that price, an account that has its maintenance
 * margin is left without debt, except for the fee on the part of a buy price above the mark (rule 15.5).
 */
export const stopBound = (
  instrument: Instrument,
  priced: Priced,
  isSell: boolean,
  leverage: number,
  takerRate: number
): number => {
  // The maintenance margin rate is two thirds of 1 / leverage; every term is scaled by 3 x leverage x rateScale.
  const whole = 3 * leverage * rateScale
  const off = 2 * rateScale - 3 * leverage * takerRate
  const divisor = BigInt(whole) * BigInt(instrument.tickE8)
  const mark = BigInt(priced.markE8)
  return isSell
    ? Math.max(priced.lowerTicks, Number(divideUp(mark * BigInt(whole - off), divisor)))
    : Math.min(priced.upperTicks, Number((mark * BigInt(whole + off)) / divisor))
}

/** Widths in basis points (rule 5.2). FX has no OVERNIGHT period; its entry repeats the width of OPEN. */
const widths: Record<Instrument["category"], Record<Period, number>> = {
  EQUITY: { OPEN: 1_000, OVERNIGHT: 700, WEEKEND: 500 },
  INDEX: { OPEN: 500, OVERNIGHT: 400, WEEKEND: 300 },
  COMMODITY: { OPEN: 700, OVERNIGHT: 500, WEEKEND: 400 },
  FX: { OPEN: 200, OVERNIGHT: 200, WEEKEND: 100 }
}

function bandAround(instrument: Instrument, centreE8: number, bps: number): PriceRange {
  const divisor = instrument.tickE8 * 10_000
  return {
    lowerTicks: mulDivUp(centreE8, 10_000 - bps, divisor),
    upperTicks: mulDivDown(centreE8, 10_000 + bps, divisor)
  }
}
