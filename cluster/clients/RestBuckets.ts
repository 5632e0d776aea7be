/** Charges REST requests to the user's bucket at the user's desk, so that one limit applies across all gateways. */
import * as RateLimits from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect } from "effect"
import { deskOf } from "../protocol/Desk.ts"
import * as RestCharge from "../protocol/RestCharge.ts"
import { VenueSettings } from "../VenueSettings.ts"
import { DeskClient } from "./DeskClient.ts"
import { LocalEntities } from "./LocalEntities.ts"

export type Spend = (userId: UserId, weight: number) => Effect.Effect<RateLimits.Charge>

export const make = Effect.fnUntraced(function* (
  bucket: RestBucket
): Effect.fn.Return<Spend, never, DeskClient | LocalEntities> {
  const clock = yield* Clock.Clock
  const { desks, rateLimits } = yield* VenueSettings
  const deskClient = yield* DeskClient
  const localEntities = yield* LocalEntities
  const fallback = RateLimits.make({
    ...restRates[bucket],
    enabled: rateLimits,
    nowMillis: () => clock.currentTimeMillisUnsafe()
  })
  /**
   * Charges this gateway's own bucket while the desk does not respond, so that requests that need no desk still pass.
   */
  const askDesk = (userId: UserId, weight: number) => {
    const chargeFallback = Effect.sync(() => fallback.charge(userId, weight))
    return deskClient
      .ask(userId, (desk) => desk.SpendRest({ userId, bucket, weight, wantsRemaining: true }))
      .pipe(
        Effect.map((encoded) => RestCharge.decode(encoded, bucket, weight)),
        Effect.timeoutOrElse({ duration: deskTimeout, orElse: () => chargeFallback }),
        Effect.catchTag("Unavailable", () => chargeFallback)
      )
  }
  return (userId, weight) =>
    Effect.suspend(() => {
      if (!rateLimits) return uncharged
      const desk = localEntities.desks.get(deskOf(userId, desks))
      return desk === undefined ? askDesk(userId, weight) : Effect.succeed(desk.spendRest(userId, bucket, weight))
    })
})

const uncharged = Effect.succeed(RateLimits.uncharged)
const deskTimeout = "500 millis"
