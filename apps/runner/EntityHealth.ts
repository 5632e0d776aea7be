/** Readiness of a runner. The runner holds shards, and every entity on them has responded within the last 5 s. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import * as Places from "@venue/cluster/clients/Places"
import { deskGroup } from "@venue/cluster/protocol/Desk"
import { marketGroup } from "@venue/cluster/protocol/Market"
import * as Runner from "@venue/cluster/Runner"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, Schedule } from "effect"
import { EntityId, ShardId, Sharding } from "effect/cluster"

export interface EntityHealth {
  /** Returns the condition that is not met, as a sentence, or undefined if the runner is ready. */
  readonly reason: () => string | undefined
  readonly shards: () => number
}

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { markets } = yield* LocalEntities
  const deskClient = yield* DeskClient
  const shards = yield* heldShards
  const own = yield* ownEntities
  const answeredAtMillis = new Map<string, number>()
  const answered = (entity: string) =>
    Effect.sync(() => {
      answeredAtMillis.set(entity, clock.currentTimeMillisUnsafe())
    })

  const probe = Effect.suspend(() => {
    const here = own()
    // An entity that leaves and returns must respond again.
    for (const entity of answeredAtMillis.keys()) if (!here.has(entity)) answeredAtMillis.delete(entity)
    const probes = [...here].map(([entity, { deskId, symbol }]) => {
      if (deskId !== undefined) return Effect.ignore(Effect.andThen(deskClient.wake(deskId), answered(entity)))
      return markets.get(symbol)?.head() === undefined ? Effect.void : answered(entity)
    })
    return Effect.all(probes, { discard: true, concurrency: "unbounded" })
  })
  yield* Effect.forkScoped(Effect.repeat(probe, Schedule.spaced("1 second")))

  const health: EntityHealth = {
    shards,
    reason: () => {
      if (shards() === 0) return "Waiting for shards: this runner has none yet."
      const since = clock.currentTimeMillisUnsafe() - freshMillis
      const silent = own()
        .keys()
        .find((entity) => (answeredAtMillis.get(entity) ?? -Infinity) < since)
      return silent && `Waiting for ${silent}, which has not responded in the last 5 s.`
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

type Entity =
  | { readonly deskId: string; readonly symbol?: never }
  | { readonly deskId?: never; readonly symbol: MarketSymbol }

/** Returns the desks and markets on this runner's shards, started or not. */
const ownEntities = Effect.gen(function* () {
  const sharding = yield* Sharding.Sharding
  const places = yield* Places.make
  const { desks, instruments } = yield* VenueSettings
  const shardOf = (address: string, group: string) => sharding.getShardId(EntityId.make(address), group)
  const deskEntities = Array.from({ length: desks }, (_, index) => {
    const entity: Entity = { deskId: String(index) }
    return { name: `desk ${index}`, entity, shard: shardOf(places.desk(String(index)), deskGroup) }
  })
  const marketEntities = () =>
    Array.from(instruments.keys(), (symbol) => {
      const entity: Entity = { symbol }
      return { name: `market ${symbol}`, entity, shard: shardOf(places.market(symbol), marketGroup) }
    })
  return (): ReadonlyMap<string, Entity> =>
    new Map(
      [...deskEntities, ...marketEntities()]
        .filter(({ shard }) => sharding.hasShardId(shard))
        .map(({ entity, name }) => [name, entity])
    )
})
