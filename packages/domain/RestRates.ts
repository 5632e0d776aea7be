/** What a user may ask over REST: one bucket for all requests, and one more for what registers wallets. */
import { Schema } from "effect"
import type { Rate } from "./RateLimits.ts"

export const RestBucket = Schema.Literals(["requests", "wallets"])
export type RestBucket = typeof RestBucket.Type

export const restRates: Readonly<Record<RestBucket, Rate>> = {
  requests: { capacity: 1_200, refillMillis: 60_000 },
  wallets: { capacity: 60, refillMillis: 60_000 }
}
