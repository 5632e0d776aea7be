/** Perpetual contracts: price and quantity increments, limits, and the initial contracts of a new venue. */
import { Schema } from "effect"
import { divideUp, unitScale, unitsOf } from "./Decimal.ts"
import { MarketSymbol } from "./MarketSymbol.ts"

/** Product class, which determines fees, hours, bands and limits. */
export const ProductCategory = Schema.Literals(["EQUITY", "INDEX", "COMMODITY", "FX"])
export type ProductCategory = typeof ProductCategory.Type

/** Terms of one perpetual contract. */
export interface Instrument {
  readonly clobPairId: number
  readonly symbol: MarketSymbol
  readonly base: string
  readonly quote: string
  readonly category: ProductCategory
  /** Price increment in 1e-8 USD. */
  readonly tickE8: number
  /** Quantity increment in 1e-8 of a base unit. */
  readonly lotE8: number
  readonly minQuantityLots: number
  readonly maxQuantityLots: number
  readonly maxLeverage: number
  /** Position limit in USD; present only if the operator changed the default of the class. */
  readonly positionLimitUsd?: number
  /** Open-interest limit in USD; present only if the operator changed the default. */
  readonly openInterestLimitUsd?: number
  /** Value of one lot at one tick, in 1e-6 USD; a whole number, which keeps cash sums exact (rule 0.2). */
  readonly tickLotMicros: number
}

/**
 * Converts a decimal price to ticks. Returns `NaN` if it is not a multiple of the tick, and infinity beyond the
 * countable range.
 */
export const ticksOf = (instrument: Instrument, decimal: number): number => steps(decimal, instrument.tickE8)

/**
 * Converts a decimal quantity to lots. Returns `NaN` if it is not a multiple of the lot, and infinity beyond the
 * countable range.
 */
export const lotsOf = (instrument: Instrument, decimal: number): number => steps(decimal, instrument.lotE8)

/** Converts ticks to a decimal price in USD. */
export const priceOf = (instrument: Instrument, ticks: number): number => (ticks * instrument.tickE8) / unitScale

/** Converts lots to a decimal quantity in base units. */
export const quantityOf = (instrument: Instrument, lots: number): number => (lots * instrument.lotE8) / unitScale

/** Returns the exact notional, in 1e-6 USD, of lots at a price in ticks. */
export const notional = (instrument: Instrument, ticks: number, lots: number): number =>
  ticks * lots * instrument.tickLotMicros

/** Returns the value, in 1e-6 USD, of signed lots at a price in 1e-8 USD, rounded down (rule 0.4). */
export const valueDown = ({ lotE8 }: Instrument, lots: number, priceE8: number): number => {
  const exact = BigInt(lots) * BigInt(lotE8) * BigInt(priceE8)
  return Number(exact < 0n ? -divideUp(-exact, perMicro) : exact / perMicro)
}

/** Minimum notional of an order that adds risk, in 1e-6 USD (rule 1.5). */
export const minimumNotional = 10_000_000

/** Returns the smallest number of lots whose value at a price in 1e-8 USD reaches the minimum notional. */
export const minimumNotionalLots = ({ lotE8 }: Instrument, priceE8: number): number =>
  Number(divideUp(BigInt(minimumNotional) * perMicro, BigInt(lotE8) * BigInt(priceE8)))

/** Returns the number of decimals in a printed price. */
export const priceDecimals = (instrument: Instrument): number => decimals(instrument.tickE8)

/** Returns the number of decimals in a printed quantity. */
export const quantityDecimals = (instrument: Instrument): number => decimals(instrument.lotE8)

/** Maximum price in ticks, and maximum quantity in lots, of one order. Both fit into 31 bits. */
export const largestOrder = 0x7ffffffe

/** Terms that an operator chooses for a contract; all other fields are derived from them. */
export type Terms = Pick<
  Instrument,
  "base" | "category" | "tickE8" | "lotE8" | "minQuantityLots" | "maxQuantityLots" | "maxLeverage"
>

/** Returns the contract with these terms; the quote is USD. */
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

/** Contracts that a new venue lists (rule 1). */
export const initialInstruments: ReadonlyArray<Instrument> = [
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

/** Divisor from lots (1e-8) x price (1e-8) to money (1e-6). */
const perMicro = 10n ** 10n

/** Largest decimal whose count of 1e-8 is a safe integer. */
const maxCountable = Number.MAX_SAFE_INTEGER / unitScale

function steps(decimal: number, step: number): number {
  if (Number.isFinite(decimal) && Math.abs(decimal) > maxCountable) return decimal * Infinity
  const units = unitsOf(decimal)
  return units % step === 0 ? units / step : NaN
}

function decimals(step: number): number {
  let places = 8
  for (let rest = step; rest % 10 === 0 && places > 0; rest /= 10) places--
  return places
}
