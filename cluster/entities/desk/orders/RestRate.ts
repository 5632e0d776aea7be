/** REST rate limits for a desk's users. */
import * as RateLimits from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect } from "effect"
import { VenueSettings } from "../../../VenueSettings.ts"

export type SpendRest = (userId: UserId, bucket: RestBucket, weight: number) => RateLimits.Charge

export const make: Effect.Effect<SpendRest> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { rateLimits } = yield* VenueSettings
  const limit = (rate: RateLimits.Rate) =>
    RateLimits.make({ ...rate, enabled: rateLimits, nowMillis: () => clock.currentTimeMillisUnsafe() })
  const buckets = { requests: limit(restRates.requests), wallets: limit(restRates.wallets) }
  return (userId, bucket, weight) => buckets[bucket].charge(userId, weight)
})
