/** What a market's log says of its premium in the hour so far, and what that comes to (rule 10.4). */
import { Schema } from "effect"
import * as Funding from "./Funding.ts"
import type { Funded, Sampled } from "./Market.ts"

export const Sampling = Schema.Struct({
  /** Every sample after `untilMillis` is this one; `null` while none is taken. */
  premiumE10: Schema.NullOr(Schema.Number),
  /** The samples up to here are counted in `samples`. */
  untilMillis: Schema.Number,
  samples: Funding.Samples
})
export type Sampling = typeof Sampling.Type

/** Nothing is known of the hour. */
export const unsampled: Sampling = { premiumE10: null, untilMillis: 0, samples: Funding.noSamples }

export const after = (sampling: Sampling, event: Sampled | Funded): Sampling => {
  if (event._tag === "Funded") {
    return { premiumE10: sampling.premiumE10, untilMillis: event.atMillis, samples: Funding.noSamples }
  }
  const untilMillis = event.atMillis - Funding.sampleMillis
  return { premiumE10: event.premiumE10, untilMillis, samples: counted(sampling, untilMillis) }
}

/**
 * The rate in 1e-12 of the value if the hour ended now. A change of the premium is recorded within a second, so that a
 * sample counts here once it is older, and whoever has the log counts the same ones.
 */
export const rateE12 = (sampling: Sampling, nowMillis: number): number => {
  const { untilMillis } = sampling
  const knownMillis = stepOf(nowMillis - recordedWithinMillis, Funding.sampleMillis)
  const endMillis = stepOf(untilMillis, Funding.hourMillis) + Funding.hourMillis
  return Funding.rateE12(counted(sampling, Math.max(untilMillis, Math.min(knownMillis, endMillis))))
}

/** A sample's second, and as much for its row to come. */
const recordedWithinMillis = 2_000

/** With the samples from there up to this time. */
export const counted = ({ premiumE10, samples, untilMillis }: Sampling, toMillis: number): Funding.Samples =>
  premiumE10 === null ? samples : Funding.sampled(samples, premiumE10, (toMillis - untilMillis) / Funding.sampleMillis)

const stepOf = (millis: number, step: number): number => millis - (millis % step)
