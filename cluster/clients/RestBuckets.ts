/** What users ask over REST is charged at their desks, so that all gateways together give no more than one. */
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
  const here = RateLimits.make({
    ...restRates[bucket],
    enabled: rateLimits,
    nowMillis: () => clock.currentTimeMillisUnsafe()
  })
  /** A desk that moves keeps nobody from asking for what needs none. */
  const askDesk = (userId: UserId, weight: number) => {
    const chargeHere = Effect.sync(() => here.charge(userId, weight))
    return deskClient
      .ask(userId, (desk) => desk.SpendRest({ userId, bucket, weight, wantsRemaining: true }))
      .pipe(
        Effect.map((told) => RestCharge.heard(told, bucket, weight)),
        Effect.timeoutOrElse({ duration: patience, orElse: () => chargeHere }),
        Effect.catchTag("Unavailable", () => chargeHere)
      )
  }
  return (userId, weight) =>
    Effect.suspend(() => {
      if (!rateLimits) return nothing
      const desk = localEntities.desks.get(deskOf(userId, desks))
      return desk === undefined ? askDesk(userId, weight) : Effect.succeed(desk.spendRest(userId, bucket, weight))
    })
})

const nothing = Effect.succeed(RateLimits.uncharged)
const patience = "500 millis"
