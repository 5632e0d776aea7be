/** All entities as one layer, in one process or spread over many. */
import { Effect, Layer, Schedule } from "effect"
import {
  EntityId,
  MessageStorage,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig
} from "effect/cluster"
import { DeskLayer } from "./entities/desk/Desk.ts"
import { MarketLayer } from "./entities/market/Market.ts"
import { UserLayer } from "./entities/user/User.ts"
import { Feed } from "./feed/Feed.ts"
import { deskGroup } from "./protocol/Desk.ts"
import { marketGroup } from "./protocol/Market.ts"
import { DeskClient } from "./clients/DeskClient.ts"
import { MarketClient } from "./clients/MarketClient.ts"
import * as Places from "./clients/Places.ts"
import { RailClient } from "./clients/RailClient.ts"
import { UserClient } from "./clients/UserClient.ts"
import { SingleProcess } from "./SingleProcess.ts"
import { LocalEntities } from "./clients/LocalEntities.ts"
import * as PriceFeed from "./singletons/PriceFeed.ts"
import * as ReferralRewards from "./singletons/ReferralRewards.ts"
import { VenueSettings } from "./VenueSettings.ts"

/** What a node needs to talk to the entities, wherever they are: a gateway of its own is this and no more. */
export const clients = Layer.mergeAll(DeskClient.layer, RailClient.layer, UserClient.layer).pipe(
  Layer.provideMerge(Feed.layerHeads),
  Layer.provideMerge(Feed.layer),
  Layer.provideMerge(MarketClient.layer),
  Layer.provideMerge(LocalEntities.layer)
)

/** Starts every desk that is not up; those that are here are. */
const wakeDesks = Effect.gen(function* () {
  const desks = yield* DeskClient
  const localEntities = yield* LocalEntities
  const { desks: count } = yield* VenueSettings
  yield* Effect.forEach(
    Array.from({ length: count }, (_, id) => String(id)),
    (id) => (localEntities.desks.has(id) ? Effect.void : Effect.ignore(desks.wake(id))),
    { discard: true, concurrency: "unbounded" }
  )
})

/** Starts the desks that have come to this node with their shards; they are few, and looking costs next to nothing. */
const makeWakeOwn = Effect.gen(function* () {
  const desks = yield* DeskClient
  const localEntities = yield* LocalEntities
  const sharding = yield* Sharding.Sharding
  const places = yield* Places.make
  const { desks: count } = yield* VenueSettings
  const shards = Array.from({ length: count }, (_, id) => {
    const address = EntityId.make(places.desk(String(id)))
    return { id: String(id), shard: sharding.getShardId(address, deskGroup) }
  })
  return Effect.suspend(() => {
    const missing = shards.filter(({ id, shard }) => !localEntities.desks.has(id) && sharding.hasShardId(shard))
    return Effect.forEach(missing, ({ id }) => Effect.ignore(desks.wake(id)), {
      discard: true,
      concurrency: "unbounded"
    })
  })
})

/**
 * Wakes every desk though nobody asks, so that what a dead gateway left behind is seen to: soon after it has moved here, or,
 * where there is no other node to take one away, now and then.
 */
const starter = Layer.effectDiscard(
  Effect.gen(function* () {
    const isAlone = (yield* SingleProcess) !== undefined
    const wake = isAlone ? wakeDesks : yield* makeWakeOwn
    yield* Effect.forkScoped(Effect.repeat(wake, Schedule.spaced(isAlone ? "1 minute" : "100 millis")))
  })
)

/** A node with entities of its own. */
export const layer = Layer.mergeAll(
  MarketLayer,
  DeskLayer,
  UserLayer,
  PriceFeed.layer,
  ReferralRewards.layer,
  starter
).pipe(Layer.provideMerge(clients))

/** One process is the whole cluster. Payloads travel as they are unless `simulate` sends them through their codec. */
export const alone = (options: { readonly simulate: boolean }) =>
  Sharding.layer.pipe(
    Layer.provideMerge(Layer.sync(SingleProcess, () => new Set<string>())),
    Layer.provideMerge(Runners.layerNoop),
    Layer.provideMerge(MessageStorage.layerMemory),
    Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
    Layer.provide(
      Layer.unwrap(
        Effect.map(VenueSettings, ({ desks }) =>
          ShardingConfig.layer({
            ...timings,
            ...timingsAlone,
            shardsPerGroup: desks,
            simulateRemoteSerialization: options.simulate
          })
        )
      )
    )
  )

/** A venue of one process is ready: every market has been heard, and whoever is let in meets no order of a lost connection. */
export const ready = Effect.gen(function* () {
  const feed = yield* Feed
  const localEntities = yield* LocalEntities
  const { desks, instruments } = yield* VenueSettings
  const areHeard = () => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined)
  const isCleared = () =>
    localEntities.desks.size === desks && [...localEntities.desks.values()].every((desk) => !desk.isEndingOrphans())
  yield* Effect.repeat(Effect.void, { until: areHeard, schedule: looks })
  yield* Effect.repeat(wakeDesks, { until: isCleared, schedule: looks }).pipe(Effect.timeoutOption(clearedWithin))
})

/** A venue of one process stops and its connections have ended: what they had armed is cancelled on record. */
export const disarmed = Effect.gen(function* () {
  const localEntities = yield* LocalEntities
  const areDisarmed = () => [...localEntities.desks.values()].every((desk) => !desk.isArmed())
  yield* Effect.repeat(Effect.void, { until: areDisarmed, schedule: looks, times: disarmedLooks })
})

/** Five seconds' worth: a market that cannot record cancels has them at the next start. */
const disarmedLooks = 250
const looks = Schedule.spaced("20 millis")
/** A market that cannot record cancels keeps nobody out for longer; they go on. */
const clearedWithin = "10 seconds"

/** Desks and markets are spread each by itself. Equal on every node. */
const available = ["default", deskGroup, marketGroup]
export const groups = { availableShardGroups: available, assignedShardGroups: available }

/** Tuned for a move within seconds of a death. Equal on every node. */
export const timings = {
  refreshAssignmentsInterval: "250 millis",
  runnerHealthCheckInterval: "500 millis",
  sendRetryInterval: "50 millis",
  // Nothing is polled for, but a search for shards that the database cut short goes on after as long.
  entityMessagePollInterval: "1 second",
  maxResidentEntities: 10_000,
  ...groups
} as const

/**
 * One process has no other runner that comes or goes, loses no lock and keeps no message in storage. An end that hangs
 * waits for a refresh of the locks, so that one comes now and then all the same.
 */
const timingsAlone = {
  shardLockExpiration: "3 minutes",
  shardLockRefreshInterval: "1 minute",
  refreshAssignmentsInterval: "10 minutes",
  runnerHealthCheckInterval: "10 minutes",
  entityMessagePollInterval: "10 minutes"
} as const
