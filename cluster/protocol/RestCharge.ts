/** How a desk tells a gateway what became of a weight: in one number, which nodes of an earlier release read too. */
import { type Charge, quotaOf } from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"

/** `wantsRemaining` of a gateway that knows numbers below zero. */
export const told = ({ quota, waitMillis }: Charge, wantsRemaining: boolean): number =>
  waitMillis > 0 || quota === undefined || !wantsRemaining ? waitMillis : -1 - quota.remaining

/** A desk of an earlier release says 0 of what it took, whatever remains. */
export const heard = (told: number, bucket: RestBucket, weight: number): Charge => {
  const rate = restRates[bucket]
  if (told === 0) return { waitMillis: 0, quota: undefined }
  if (told < 0) return { waitMillis: 0, quota: quotaOf(rate, -1 - told) }
  // The wait was rounded up, so what follows from it is what the bucket has at least.
  const tokens = Math.max(0, weight - (told * rate.capacity) / rate.refillMillis)
  return { waitMillis: told, quota: quotaOf(rate, tokens) }
}
