/** Encoding of a REST charge as one number, which nodes of earlier releases can read. */
import { type Charge, quotaOf } from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"

/**
 * Returns the milliseconds to wait if the charge was refused. Otherwise returns −1 − the remaining quota if the gateway set
 * `wantsRemaining`, and 0 if it did not, because gateways of earlier releases do not expect a negative number.
 */
export const encode = ({ quota, waitMillis }: Charge, wantsRemaining: boolean): number =>
  waitMillis > 0 || quota === undefined || !wantsRemaining ? waitMillis : -1 - quota.remaining

/** Decodes an answer of `SpendRest`. 0 means charged with an unknown remaining quota, as desks of earlier releases answer. */
export const decode = (encoded: number, bucket: RestBucket, weight: number): Charge => {
  const rate = restRates[bucket]
  if (encoded === 0) return { waitMillis: 0, quota: undefined }
  if (encoded < 0) return { waitMillis: 0, quota: quotaOf(rate, -1 - encoded) }
  // The wait was rounded up, so this is a lower bound of the tokens in the bucket.
  const tokens = Math.max(0, weight - (encoded * rate.capacity) / rate.refillMillis)
  return { waitMillis: encoded, quota: quotaOf(rate, tokens) }
}
