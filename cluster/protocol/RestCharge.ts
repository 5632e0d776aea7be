/** Encoding of a REST charge as one number, which nodes on earlier releases can read. */
import { type Charge, quotaOf } from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"

/**
 * Returns the milliseconds to wait if the charge was refused. Otherwise returns 0 or, if the gateway set
 * `wantsRemaining`, -1 minus the remaining quota: gateways on earlier releases do not expect a negative number.
 */
export const encode = ({ quota, waitMillis }: Charge, wantsRemaining: boolean): number =>
  waitMillis > 0 || quota === undefined || !wantsRemaining ? waitMillis : -1 - quota.remaining

/** Decodes a response to `SpendRest`. Older desks return 0 for a charge, without the remaining quota. */
export const decode = (encoded: number, bucket: RestBucket, weight: number): Charge => {
  const rate = restRates[bucket]
  if (encoded === 0) return { waitMillis: 0, quota: undefined }
  if (encoded < 0) return { waitMillis: 0, quota: quotaOf(rate, -1 - encoded) }
  // A lower bound of the tokens in the bucket, because the wait was rounded up.
  const tokens = Math.max(0, weight - (encoded * rate.capacity) / rate.refillMillis)
  return { waitMillis: encoded, quota: quotaOf(rate, tokens) }
}
