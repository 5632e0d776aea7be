/** Rate limits of a user's REST requests: one bucket for all requests, and another one for registering wallets. */
import { Schema } from "effect"
import type { Rate } from "./RateLimits.ts"

/** Name of a REST rate-limit bucket. */
export const RestBucket = Schema.Literals(["requests", "wallets"])
export type RestBucket = typeof RestBucket.Type

export const restRates: Readonly<Record<RestBucket, Rate>> = {
  requests: { capacity: 1_200, refillMillis: 60_000 },
  wallets: { capacity: 60, refillMillis: 60_000 }
}
