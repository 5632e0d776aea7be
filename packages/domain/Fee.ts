/** Trading fees: tiers by volume, rates by tier and product class, and rounding (rule 11). */
import { moneyScale, mulDivUp, rateScale } from "./Decimal.ts"
import type { Instrument, ProductCategory } from "./Instrument.ts"

/** Maker and taker rate in 1e-8 of notional: 10,000 is one basis point. */
export interface FeeRates {
  readonly maker: number
  readonly taker: number
}

interface Tier {
  /** Lowest effective volume of the tier, in USD. */
  readonly fromVolume: number
  readonly stocks: FeeRates
  readonly other: FeeRates
}

/** Fee tiers in ascending order; the first element is tier 1 (rule 11.3). */
export const tiers: ReadonlyArray<Tier> = [
  { fromVolume: 0, stocks: { maker: 20_000, taker: 100_000 }, other: { maker: 10_000, taker: 50_000 } },
  { fromVolume: 2_000_000, stocks: { maker: 15_000, taker: 80_000 }, other: { maker: 7_500, taker: 40_000 } },
  { fromVolume: 10_000_000, stocks: { maker: 10_000, taker: 60_000 }, other: { maker: 5_000, taker: 30_000 } },
  { fromVolume: 50_000_000, stocks: { maker: 5_000, taker: 45_000 }, other: { maker: 2_500, taker: 22_500 } },
  { fromVolume: 250_000_000, stocks: { maker: 0, taker: 30_000 }, other: { maker: 0, taker: 15_000 } }
]

/** Tier of a user without any volume. */
export const firstTier = 1

/** Number of whole days whose volume determines the tier of the following day (rule 11.4). */
export const volumeDays = 30

/** Weight of each class in the effective volume (rule 11.4). */
const weights: Record<ProductCategory, bigint> = { FX: 1n, COMMODITY: 2n, INDEX: 2n, EQUITY: 5n }

/** Returns a traded notional times the weight of its class, both in 1e-6 USD (rule 11.4). */
export const effectiveVolume = ({ category }: Instrument, volume: bigint): bigint => weights[category] * volume

/** Returns the tier, counted from 1, for an effective volume in 1e-6 USD. */
export const tierOf = (effectiveVolume: bigint): number =>
  tiers.findLastIndex(({ fromVolume }) => effectiveVolume >= BigInt(fromVolume) * BigInt(moneyScale)) + 1

/** Returns the rates of an instrument in a tier, counted from 1. */
export const ratesOf = ({ category }: Instrument, tier: number): FeeRates => {
  const { other, stocks } = tiers[tier - 1]!
  return category === "EQUITY" ? stocks : other
}

/**
 * Returns the fee of a notional, both in 1e-6 USD; `rate` is in 1e-8. Rounded up, so that the trader never pays less
 * than the rate (rule 0.3, rule 11.1).
 */
export const feeOf = (notional: number, rate: number): number => mulDivUp(notional, rate, rateScale)
