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
import * as FeedMetrics from "./feed/FeedMetrics.ts"
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
  Layer.provideMerge(Layer.merge(Feed.layerHeads, FeedMetrics.layer)),
  Layer.provideMerge(Feed.layer),
  Layer.provideMerge(MarketClient.layer),
  Layer.provideMerge(LocalEntities.layer)
)

/** Starts every desk that is not running on this node. */
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
 * Starts desks without waiting for a message, so that orders of closed connections are cancelled. In a cluster, a
 * desk starts within 100 ms of its move to this node. A single process checks all desks once a minute.
 */
const starter = Layer.effectDiscard(
  Effect.gen(function* () {
    const isAlone = (yield* SingleProcess) !== undefined
    const wake = isAlone ? wakeDesks : yield* makeWakeOwn
    yield* Effect.forkScoped(Effect.repeat(wake, Schedule.spaced(isAlone ? "1 minute" : "100 millis")))
  })
)

export const layer = Layer.mergeAll(
  MarketLayer,
  DeskLayer,
  UserLayer,
  PriceFeed.layer,
  ReferralRewards.layer,
  starter
).pipe(Layer.provideMerge(clients))

/** Layer of a single-process cluster. With `simulate`, messages between entities pass through their codecs. */
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

/** Waits until a single-process venue follows every market and has cancelled the orders of closed connections. */
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

/** Before a single-process venue stops, waits up to 5 s until the cancels for closed connections are recorded. */
export const disarmed = Effect.gen(function* () {
  const localEntities = yield* LocalEntities
  const areDisarmed = () => [...localEntities.desks.values()].every((desk) => !desk.isArmed())
  yield* Effect.repeat(Effect.void, { until: areDisarmed, schedule: poll, times: disarmedPolls })
})

/** 250 polls at 20 ms take 5 s. Cancels that a market has not recorded by then are sent at the next start. */
const disarmedPolls = 250
const poll = Schedule.spaced("20 millis")
/** Time after which startup continues even if a market cannot record cancels. The cancels are still retried. */
const clearedWithin = "10 seconds"

/** Shard groups of every node, equal on all nodes. Desks and markets are spread over the nodes separately. */
const available = ["default", deskGroup, marketGroup]
export const groups = { availableShardGroups: available, assignedShardGroups: available }

/** Timings that allow a takeover within seconds of a node's crash. All nodes must have the same timings. */
export const timings = {
  refreshAssignmentsInterval: "250 millis",
  runnerHealthCheckInterval: "500 millis",
  sendRetryInterval: "50 millis",
  // Messages are not stored, so this poll finds no messages, but an interrupted shard search resumes at this
  // interval.
  entityMessagePollInterval: "1 second",
  maxResidentEntities: 10_000,
  ...groups
} as const

/**
 * Long intervals, because the only runner of a venue keeps its locks and stores no messages. Locks are
 * still refreshed, because a shutdown that hangs waits for the next refresh.
 */
const timingsAlone = {
  shardLockExpiration: "3 minutes",
  shardLockRefreshInterval: "1 minute",
  refreshAssignmentsInterval: "10 minutes",
  runnerHealthCheckInterval: "10 minutes",
  entityMessagePollInterval: "10 minutes"
} as const
