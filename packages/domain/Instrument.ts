/** A perpetual contract: its steps, its bounds and the list the venue starts with. */
import { Schema } from "effect"
import { divideUp, unitScale, unitsOf } from "./Decimal.ts"
import { MarketSymbol } from "./MarketSymbol.ts"

export const ProductCategory = Schema.Literals(["EQUITY", "INDEX", "COMMODITY", "FX"])
export type ProductCategory = typeof ProductCategory.Type

export interface Instrument {
  readonly clobPairId: number
  readonly symbol: MarketSymbol
  readonly base: string
  readonly quote: string
  readonly category: ProductCategory
  /** Price step in 1e-8 USD. */
  readonly tickE8: number
  /** Quantity step in 1e-8 of a base unit. */
  readonly lotE8: number
  /** In lots. */
  readonly minQuantityLots: number
  /** In lots. */
  readonly maxQuantityLots: number
  readonly maxLeverage: number
  /** In USD, where the operator has changed what follows from the class. */
  readonly positionLimitUsd?: number
  readonly openInterestLimitUsd?: number
  /** One lot that moves by one tick is worth this money (1e-6 USD): a whole number, so that cash sums stay exact. */
  readonly tickLotMicros: number
}

/**
 * Counts the ticks of a decimal price: `NaN` when it is not a multiple of the tick, infinite beyond what can be
 * counted.
 */
export const ticksOf = (instrument: Instrument, decimal: number): number => steps(decimal, instrument.tickE8)

/**
 * Counts the lots of a decimal quantity: `NaN` when it is not a multiple of the lot, infinite beyond what can be
 * counted.
 */
export const lotsOf = (instrument: Instrument, decimal: number): number => steps(decimal, instrument.lotE8)

export const priceOf = (instrument: Instrument, ticks: number): number => (ticks * instrument.tickE8) / unitScale

export const quantityOf = (instrument: Instrument, lots: number): number => (lots * instrument.lotE8) / unitScale

/** Gives the money of a quantity at a price of whole ticks, exactly. */
export const notional = (instrument: Instrument, ticks: number, lots: number): number =>
  ticks * lots * instrument.tickLotMicros

/** Gives what signed lots are worth at a price in 1e-8 USD, in 1e-6 USD, rounded down (rule 0.4). */
export const valueDown = ({ lotE8 }: Instrument, lots: number, priceE8: number): number => {
  const exact = BigInt(lots) * BigInt(lotE8) * BigInt(priceE8)
  return Number(exact < 0n ? -divideUp(-exact, perMicro) : exact / perMicro)
}

/** Least value of an order that adds risk, in 1e-6 USD (rule 1.5). */
export const minimumNotional = 10_000_000

/** Returns the fewest lots that are worth the least value at a price in 1e-8 USD, rounded up. */
export const minimumNotionalLots = ({ lotE8 }: Instrument, priceE8: number): number =>
  Number(divideUp(BigInt(minimumNotional) * perMicro, BigInt(lotE8) * BigInt(priceE8)))

/** A price is printed with so many decimals. */
export const priceDecimals = (instrument: Instrument): number => decimals(instrument.tickE8)

/** A quantity is printed with so many decimals. */
export const quantityDecimals = (instrument: Instrument): number => decimals(instrument.lotE8)

/** Prices and lots of one order fit 31 bits; a larger position takes two orders. */
export const largestOrder = 0x7ffffffe

/** What tells one contract from another; the rest of it follows from this. */
export type Terms = Pick<
  Instrument,
  "base" | "category" | "tickE8" | "lotE8" | "minQuantityLots" | "maxQuantityLots" | "maxLeverage"
>

export const instrumentOf = (
  clobPairId: number,
  { base, category, lotE8, maxLeverage, maxQuantityLots, minQuantityLots, tickE8 }: Terms
): Instrument => ({
  clobPairId,
  symbol: MarketSymbol.make(`${base}-USD`),
  base,
  quote: "USD",
  category,
  tickE8,
  lotE8,
  minQuantityLots,
  maxQuantityLots,
  maxLeverage,
  tickLotMicros: (tickE8 * lotE8) / 10_000_000_000
})

/** A new venue lists these contracts (rule 1). */
export const starters: ReadonlyArray<Instrument> = [
  list(1, "AAPL", "EQUITY", 0.01, 0.001, 0.1, 100_000, 10),
  list(2, "NVDA", "EQUITY", 0.01, 0.001, 0.1, 100_000, 10),
  list(3, "TSLA", "EQUITY", 0.01, 0.001, 0.1, 100_000, 10),
  list(4, "MSFT", "EQUITY", 0.01, 0.001, 0.1, 100_000, 10),
  list(5, "US500", "INDEX", 0.1, 0.0001, 0.001, 1_000, 30),
  list(6, "US100", "INDEX", 0.1, 0.0001, 0.001, 1_000, 30),
  list(7, "GOLD", "COMMODITY", 0.1, 0.001, 0.01, 10_000, 30),
  list(8, "SILVER", "COMMODITY", 0.001, 0.01, 0.1, 100_000, 20),
  list(9, "CL", "COMMODITY", 0.001, 0.01, 0.1, 100_000, 20),
  list(10, "COPPER", "COMMODITY", 0.001, 0.01, 0.1, 100_000, 20),
  list(11, "NATGAS", "COMMODITY", 0.001, 0.01, 0.1, 100_000, 20),
  list(12, "EUR", "FX", 0.00001, 1, 10, 50_000_000, 50),
  list(13, "GBP", "FX", 0.00001, 1, 10, 50_000_000, 50),
  list(14, "AUD", "FX", 0.00001, 1, 10, 50_000_000, 50)
]

function list(
  clobPairId: number,
  base: string,
  category: ProductCategory,
  tick: number,
  lot: number,
  min: number,
  max: number,
  maxLeverage: number
): Instrument {
  const lotE8 = unitsOf(lot)
  return instrumentOf(clobPairId, {
    base,
    category,
    tickE8: unitsOf(tick),
    lotE8,
    minQuantityLots: unitsOf(min) / lotE8,
    maxQuantityLots: unitsOf(max) / lotE8,
    maxLeverage
  })
}

/** A lot in 1e-8 and a price in 1e-8, and money in 1e-6. */
const perMicro = 10n ** 10n

/** Counted in units: beyond this a count of 1e-8 is no safe integer. */
const mostCounted = Number.MAX_SAFE_INTEGER / unitScale

function steps(decimal: number, step: number): number {
  if (Number.isFinite(decimal) && Math.abs(decimal) > mostCounted) return decimal * Infinity
  const units = unitsOf(decimal)
  return units % step === 0 ? units / step : NaN
}

function decimals(step: number): number {
  let places = 8
  for (let rest = step; rest % 10 === 0 && places > 0; rest /= 10) places--
  return places
}
