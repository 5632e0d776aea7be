/** Division of a trading fee between the venue and a builder. */
import { Schema } from "effect"
import { mulDivDown } from "./Decimal.ts"

/** Shares of a trading fee in basis points (rule 12.1). The rest goes to the market's reserve fund. */
export const FeeShare = Schema.Struct({
  venueBps: Schema.Int.check(Schema.isBetween({ minimum: 5_000, maximum: 10_000 })),
  builderBps: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
}).check(
  Schema.makeFilter(({ builderBps, venueBps }) => venueBps + builderBps <= 10_000, {
    expected: "shares that together are at most 10000 basis points"
  })
)
export type FeeShare = typeof FeeShare.Type

/** Parts of one fee, in 1e-6 USD. */
export interface FeeParts {
  readonly builder: number
  readonly venue: number
  /** Goes to the market's reserve fund. */
  readonly remainder: number
}

/** Divides a fee above zero, in 1e-6 USD; both shares are rounded down (rule 12.3). */
export const split = (fee: number, { builderBps, venueBps }: FeeShare): FeeParts => {
  const builder = mulDivDown(fee, builderBps, whole)
  const venue = mulDivDown(fee, venueBps, whole)
  return { builder, venue, remainder: fee - builder - venue }
}

/** 100 % in basis points. */
const whole = 10_000
