/** Encoding of a REST charge as one number, which nodes on earlier releases can read. */
import { type Charge, quotaOf } from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"

/**
 * Returns the milliseconds to wait if the charge was refused. Otherwise returns −1 − the remaining quota if the
 * gateway set `wantsRemaining`, or 0 if it did not. Gateways on earlier releases do not expect a negative number.
 */
export const encode = ({ quota, waitMillis }: Charge, wantsRemaining: boolean): number =>
  waitMillis > 0 || quota === undefined || !wantsRemaining ? waitMillis : -1 - quota.remaining

/**
 * Decodes a response to `SpendRest`. Desks on earlier releases return 0, which means charged with an unknown
 * remaining quota.
 */
export const decode = (encoded: number, bucket: RestBucket, weight: number): Charge => {
  const rate = restRates[bucket]
  if (encoded === 0) return { waitMillis: 0, quota: undefined }
  if (encoded < 0) return { waitMillis: 0, quota: quotaOf(rate, -1 - encoded) }
  // The wait was rounded up, so this number is a lower bound for the tokens in the bucket.
  const tokens = Math.max(0, weight - (encoded * rate.capacity) / rate.refillMillis)
  return { waitMillis: encoded, quota: quotaOf(rate, tokens) }
}
