/** What users ask over REST is charged at their desks, so that all gateways together give no more than one. */
import * as RateLimits from "@venue/domain/RateLimits"
import { type RestBucket, restRates } from "@venue/domain/RestRates"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Effect } from "effect"
import { deskOf } from "../protocol/Desk.ts"
import { VenueSettings } from "../VenueSettings.ts"
import { DeskClient } from "./DeskClient.ts"
import { LocalEntities } from "./LocalEntities.ts"

/** 0 when the weight was taken, else how many milliseconds to wait for it. */
export type Spend = (userId: UserId, weight: number) => Effect.Effect<number>

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
  const askDesk = (userId: UserId, weight: number) =>
    deskClient
      .ask(userId, (desk) => desk.SpendRest({ userId, bucket, weight }))
      .pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.sync(() => here.spend(userId, weight)) }),
        Effect.catchTag("Unavailable", () => Effect.sync(() => here.spend(userId, weight)))
      )
  return (userId, weight) =>
    Effect.suspend(() => {
      if (!rateLimits) return nothing
      const desk = localEntities.desks.get(deskOf(userId, desks))
      return desk === undefined ? askDesk(userId, weight) : Effect.succeed(desk.spendRest(userId, bucket, weight))
    })
})

const nothing = Effect.succeed(0)
const patience = "500 millis"
