/** How one trading fee is divided between the venue and a builder. */
import { Schema } from "effect"

/** The shares may leave a remainder; it goes to the market's reserve fund. */
export const FeeShare = Schema.Struct({
  venueBps: Schema.Int.check(Schema.isBetween({ minimum: 5_000, maximum: 10_000 })),
  builderBps: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
}).check(
  Schema.makeFilter(({ builderBps, venueBps }) => venueBps + builderBps <= 10_000, {
    expected: "shares of at most 10000 together"
  })
)
export type FeeShare = typeof FeeShare.Type
