/** All of a venue's entities as one layer, for one process or many. */
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

/** Clients for the entities on all nodes, and the feed. A gateway process needs nothing else from the cluster. */
export const clients = Layer.mergeAll(DeskClient.layer, RailClient.layer, UserClient.layer).pipe(
  Layer.provideMerge(Feed.layerHeads),
  Layer.provideMerge(Feed.layer),
  Layer.provideMerge(MarketClient.layer),
  Layer.provideMerge(LocalEntities.layer)
)

/**
 * Starts every desk that is not running on this node. In a single process, these are all desks that are not running.
 */
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

/** Returns an effect that starts the desks whose shards have moved to this node. */
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
 * Starts desks without waiting for a message, so that orders from dead connections are cancelled. A cluster starts
 * each desk within 100 ms of the desk's move to this node. A single process checks all desks once a minute.
 */
const starter = Layer.effectDiscard(
  Effect.gen(function* () {
    const isAlone = (yield* SingleProcess) !== undefined
    const wake = isAlone ? wakeDesks : yield* makeWakeOwn
    yield* Effect.forkScoped(Effect.repeat(wake, Schedule.spaced(isAlone ? "1 minute" : "100 millis")))
  })
)

/** Layers of a node that runs entities. */
export const layer = Layer.mergeAll(
  MarketLayer,
  DeskLayer,
  UserLayer,
  PriceFeed.layer,
  ReferralRewards.layer,
  starter
).pipe(Layer.provideMerge(clients))

/**
 * Returns the layer of a single-process cluster. With `simulate`, messages between entities pass through their
 * codecs.
 */
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

/** Waits until a single-process venue is ready: the feed follows every market, and orders of lost connections are cancelled. */
export const ready = Effect.gen(function* () {
  const feed = yield* Feed
  const localEntities = yield* LocalEntities
  const { desks, instruments } = yield* VenueSettings
  const areFollowed = () => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined)
  const isCleared = () =>
    localEntities.desks.size === desks && [...localEntities.desks.values()].every((desk) => !desk.isEndingOrphans())
  yield* Effect.repeat(Effect.void, { until: areFollowed, schedule: poll })
  yield* Effect.repeat(wakeDesks, { until: isCleared, schedule: poll }).pipe(Effect.timeoutOption(clearedWithin))
})

/**
 * Waits up to 5 s until the cancels for closed connections are recorded. Called before a single-process venue stops.
 */
export const disarmed = Effect.gen(function* () {
  const localEntities = yield* LocalEntities
  const areDisarmed = () => [...localEntities.desks.values()].every((desk) => !desk.isArmed())
  yield* Effect.repeat(Effect.void, { until: areDisarmed, schedule: poll, times: disarmedPolls })
})

/**
 * Number of polls, which at 20 ms each take 5 s. Cancels that a market has not recorded by then are sent at the next
 * start.
 */
const disarmedPolls = 250
const poll = Schedule.spaced("20 millis")
/** Time after which startup continues even if a market cannot record cancels. The cancels are still retried. */
const clearedWithin = "10 seconds"

/**
 * Shard groups of every node. Desks and markets are spread over the nodes separately. All nodes must have the same
 * groups.
 */
const available = ["default", deskGroup, marketGroup]
export const groups = { availableShardGroups: available, assignedShardGroups: available }

/** Timings for a takeover within seconds after a node crashes. All nodes must have the same timings. */
export const timings = {
  refreshAssignmentsInterval: "250 millis",
  runnerHealthCheckInterval: "500 millis",
  sendRetryInterval: "50 millis",
  // Messages are not stored, so this poll finds none. An interrupted shard search, however, resumes at this interval.
  entityMessagePollInterval: "1 second",
  maxResidentEntities: 10_000,
  ...groups
} as const

/**
 * Intervals are long because a single process has no other runners, loses no locks and stores no messages. Locks are
 * still refreshed, because a shutdown that hangs waits for the next refresh.
 */
const timingsAlone = {
  shardLockExpiration: "3 minutes",
  shardLockRefreshInterval: "1 minute",
  refreshAssignmentsInterval: "10 minutes",
  runnerHealthCheckInterval: "10 minutes",
  entityMessagePollInterval: "10 minutes"
} as const
