/** Premium samples of the current hour, folded from a market's log, and the resulting funding rate (rule 10.4). */
import { Schema } from "effect"
import * as Funding from "./Funding.ts"
import type { Funded, Sampled } from "./Funding.ts"

/** Sampling state of a market. */
export const Sampling = Schema.Struct({
  /** Value of every sample after `untilMillis`; null while sampling is suspended. */
  premiumE10: Schema.NullOr(Schema.Number),
  /** Time up to which `samples` counts. */
  untilMillis: Schema.Number,
  samples: Funding.Samples
})
export type Sampling = typeof Sampling.Type

/** State of an hour without any record. */
export const unsampled: Sampling = { premiumE10: null, untilMillis: 0, samples: Funding.noSamples }

/** Returns the state after an event of the log. */
export const after = (sampling: Sampling, event: Sampled | Funded): Sampling => {
  if (event._tag === "Funded") {
    return { premiumE10: sampling.premiumE10, untilMillis: event.atMillis, samples: Funding.noSamples }
  }
  const untilMillis = event.atMillis - Funding.sampleMillis
  return { premiumE10: event.premiumE10, untilMillis, samples: counted(sampling, untilMillis) }
}

/**
 * Returns the funding rate that would apply if the hour ended now, in 1e-12 of the position value (rule 10.7). Counts
 * only samples older than 2 s: a premium change is recorded within a second, so every reader of the log counts the
 * same samples.
 */
export const rateE12 = (sampling: Sampling, nowMillis: number): number => {
  const { untilMillis } = sampling
  const knownMillis = stepOf(nowMillis - recordedWithinMillis, Funding.sampleMillis)
  const endMillis = stepOf(untilMillis, Funding.hourMillis) + Funding.hourMillis
  return Funding.rateE12(counted(sampling, Math.max(untilMillis, Math.min(knownMillis, endMillis))))
}

/** One second for recording the sample and one second for its row to arrive. */
const recordedWithinMillis = 2_000

/** Returns the samples up to `toMillis`. */
export const counted = ({ premiumE10, samples, untilMillis }: Sampling, toMillis: number): Funding.Samples =>
  premiumE10 === null ? samples : Funding.sampled(samples, premiumE10, (toMillis - untilMillis) / Funding.sampleMillis)

const stepOf = (millis: number, step: number): number => millis - (millis % step)
