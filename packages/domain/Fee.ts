/** Trading fees: tiers by volume, rates by tier and class, and their rounding (rule 11). */
import { moneyScale, mulDivUp, rateScale } from "./Decimal.ts"
import type { Instrument, ProductCategory } from "./Instrument.ts"

/** Rates count in 1e-8 of notional: 10,000 is one basis point. */
export interface FeeRates {
  readonly maker: number
  readonly taker: number
}

interface Tier {
  /** The tier holds from this effective volume in USD on. */
  readonly fromVolume: number
  readonly stocks: FeeRates
  readonly other: FeeRates
}

/** The first is tier 1 (rule 11.3). */
export const tiers: ReadonlyArray<Tier> = [
  { fromVolume: 0, stocks: { maker: 20_000, taker: 100_000 }, other: { maker: 10_000, taker: 50_000 } },
  { fromVolume: 2_000_000, stocks: { maker: 15_000, taker: 80_000 }, other: { maker: 7_500, taker: 40_000 } },
  { fromVolume: 10_000_000, stocks: { maker: 10_000, taker: 60_000 }, other: { maker: 5_000, taker: 30_000 } },
  { fromVolume: 50_000_000, stocks: { maker: 5_000, taker: 45_000 }, other: { maker: 2_500, taker: 22_500 } },
  { fromVolume: 250_000_000, stocks: { maker: 0, taker: 30_000 }, other: { maker: 0, taker: 15_000 } }
]

/** The tier of a user who has traded nothing. */
export const firstTier = 1

/** The effective volume of a day's tier is that of so many whole days before it (rule 11.4). */
export const volumeDays = 30

const weights: Record<ProductCategory, bigint> = { FX: 1n, COMMODITY: 2n, INDEX: 2n, EQUITY: 5n }

/** What was traded, in 1e-6 USD, counts once, twice or five times, by class (rule 11.4). */
export const effectiveVolume = ({ category }: Instrument, volume: bigint): bigint => weights[category] * volume

/** Gives the tier, from 1 on, of an effective volume in 1e-6 USD. */
export const tierOf = (effectiveVolume: bigint): number =>
  tiers.findLastIndex(({ fromVolume }) => effectiveVolume >= BigInt(fromVolume) * BigInt(moneyScale)) + 1

/** Gives what is paid in that tier, from 1 on. */
export const ratesOf = ({ category }: Instrument, tier: number): FeeRates => {
  const { other, stocks } = tiers[tier - 1]!
  return category === "EQUITY" ? stocks : other
}

/** The fee is rounded up to the next 1e-6 USD: the trader never pays less than the rate. */
export const feeOf = (notional: number, rate: number): number => mulDivUp(notional, rate, rateScale)
