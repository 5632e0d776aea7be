/** Trading fees: rates by tier and class, and their rounding (rule 11). */
import { mulDivUp, rateScale } from "./Decimal.ts"
import type { Instrument } from "./Instrument.ts"

/** Rates count in 1e-8 of notional: 10,000 is one basis point. */
export interface FeeRates {
  readonly maker: number
  readonly taker: number
}

interface Tier {
  /** The tier holds from this effective 30-day volume in USD on. */
  readonly fromVolume: number
  readonly stocks: FeeRates
  readonly other: FeeRates
}

export const tiers: ReadonlyArray<Tier> = [
  { fromVolume: 0, stocks: { maker: 20_000, taker: 100_000 }, other: { maker: 10_000, taker: 50_000 } },
  { fromVolume: 2_000_000, stocks: { maker: 15_000, taker: 80_000 }, other: { maker: 7_500, taker: 40_000 } },
  { fromVolume: 10_000_000, stocks: { maker: 10_000, taker: 60_000 }, other: { maker: 5_000, taker: 30_000 } },
  { fromVolume: 50_000_000, stocks: { maker: 5_000, taker: 45_000 }, other: { maker: 2_500, taker: 22_500 } },
  { fromVolume: 250_000_000, stocks: { maker: 0, taker: 30_000 }, other: { maker: 0, taker: 15_000 } }
]

/** Gives the rates of an account that trades `effectiveVolume` USD in 30 days. */
export const ratesFor = (instrument: Instrument, effectiveVolume: number): FeeRates => {
  let held = tiers[0]!
  for (const tier of tiers) if (effectiveVolume >= tier.fromVolume) held = tier
  return instrument.category === "EQUITY" ? held.stocks : held.other
}

/** The fee is rounded up to the next 1e-6 USD: the trader never pays less than the rate. */
export const feeOf = (notional: number, rate: number): number => mulDivUp(notional, rate, rateScale)
