/** Whether this runner serves: it has shards, and the entities on them have answered lately. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import * as Runner from "@venue/cluster/Runner"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { Clock, Effect, Schedule } from "effect"
import { ShardId, Sharding } from "effect/cluster"

export interface EntityHealth {
  readonly isReady: () => boolean
  readonly shards: () => number
}

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { desks, markets } = yield* LocalEntities
  const deskClient = yield* DeskClient
  const shards = yield* heldShards
  const answeredAtMillis = new Map<string, number>()
  const answered = (entity: string) =>
    Effect.sync(() => {
      answeredAtMillis.set(entity, clock.currentTimeMillisUnsafe())
    })

  const probe = Effect.suspend(() => {
    const local = new Set([...desks.keys(), ...markets.keys()])
    for (const entity of answeredAtMillis.keys()) if (!local.has(entity)) answeredAtMillis.delete(entity)
    const asked = [...desks.keys()].map((desk) => Effect.ignore(Effect.andThen(deskClient.wake(desk), answered(desk))))
    const heard = [...markets].flatMap(([symbol, market]) => (market.head() === undefined ? [] : [answered(symbol)]))
    return Effect.all([...asked, ...heard], { discard: true, concurrency: "unbounded" })
  })
  yield* Effect.forkScoped(Effect.repeat(probe, Schedule.spaced("1 second")))

  const health: EntityHealth = {
    shards,
    isReady: () => {
      const since = clock.currentTimeMillisUnsafe() - freshMillis
      return shards() > 0 && [...answeredAtMillis.values()].every((at) => at >= since)
    }
  }
  return health
})

const freshMillis = 5_000

const heldShards = Effect.gen(function* () {
  const sharding = yield* Sharding.Sharding
  const { desks } = yield* VenueSettings
  const all = Runner.groups.availableShardGroups.flatMap((group) =>
    Array.from({ length: desks }, (_, index) => ShardId.make(group, index + 1))
  )
  return () => all.filter((shard) => sharding.hasShardId(shard)).length
})
