/** Runner node: joins, acquires its shards, and hands them over when it stops. */
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as DeadRunners from "@venue/cluster/DeadRunners"
import * as RailEntities from "@venue/cluster/entities/rail/Rails"
import * as Runner from "@venue/cluster/Runner"
import { MigrationProgress } from "@venue/postgres/MigrationProgress"
import * as VenueStorage from "@venue/storage/VenueStorage"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { Effect, Layer } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Agreement from "../process/Agreement.ts"
import * as AlarmLayers from "../process/AlarmLayers.ts"
import * as Claimed from "../process/Claimed.ts"
import * as FirstStart from "../process/FirstStart.ts"
import { Membership } from "../process/Membership.ts"
import * as NodeLayers from "../process/NodeLayers.ts"
import * as NodeLog from "../process/NodeLog.ts"
import * as NodeMetrics from "../process/NodeMetrics.ts"
import * as NodeSettings from "../process/NodeSettings.ts"
import * as Pools from "../process/Pools.ts"
import * as Prices from "../process/Prices.ts"
import * as ProcessEnd from "../process/ProcessEnd.ts"
import * as Readiness from "../process/Readiness.ts"
import * as Production from "../process/Production.ts"
import * as Rails from "../process/Rails.ts"
import * as WebhookLayers from "../process/WebhookLayers.ts"
import * as Witnessing from "../process/witness/Witnessing.ts"
import * as EntityHealth from "./EntityHealth.ts"
import * as HealthServer from "../process/HealthServer.ts"

export const run = Effect.gen(function* () {
  const settings = yield* NodeSettings.load("runner")
  NodeLog.identify(settings.name)
  ProcessEnd.usesDatabase(settings.databaseUrl)
  yield* Production.announceSimulation(settings)
  const addresses = yield* NodeSettings.addressesOf(settings)
  const readiness = yield* Readiness.make
  const { url: health } = yield* HealthServer.openWithMetrics(
    settings.healthHost,
    settings.healthPort,
    readiness.reason
  )
  yield* Effect.provideService(serve(settings, addresses, readiness, health), MigrationProgress, readiness.migrating)
})

const serve = Effect.fnUntraced(function* (
  settings: NodeSettings.NodeSettings,
  addresses: Pick<ClusterNode.RunnerOptions, "address" | "listen">,
  readiness: Readiness.Readiness,
  health: string
) {
  yield* FirstStart.check(settings)
  const contracts = yield* Agreement.listed(settings)
  readiness.follow("Joining the other nodes.")
  yield* Prices.check(contracts.instruments, settings.initial.priceSources)
  const address = `${addresses.address.host}:${addresses.address.port}`

  const live = Effect.gen(function* () {
    const membership = yield* Membership
    const entities = yield* EntityHealth.make
    const reason = () => (membership.isConnected() ? entities.reason() : Membership.silence)
    const isReady = () => reason() === undefined
    readiness.follow(reason)
    yield* NodeMetrics.collect(settings, isReady)
    yield* Meter.collectOne(Nodes.shards, entities.shards)
    yield* Effect.addFinalizer(() => Effect.sync(() => readiness.follow("This runner is stopping.")))
    yield* membership.report(() => ({ isReady: isReady(), shards: entities.shards() }))
    yield* NodeLayers.awaited(isReady)
    yield* NodeLog.announce(`${settings.name} ready, pid ${process.pid}, cluster ${address}, health ${health}`)
    yield* membership.ended
    ProcessEnd.boundTheStop()
  })
  yield* Effect.scoped(Claimed.whileClaimed(live)).pipe(
    Effect.provide(services(settings, addresses, { address, contracts }))
  )
})

const services = (
  settings: NodeSettings.NodeSettings,
  addresses: Pick<ClusterNode.RunnerOptions, "address" | "listen">,
  node: NodeLayers.NodeTerms
) => {
  const pools = Pools.make(settings, "runner")
  return Layer.mergeAll(
    RailEntities.layer,
    DeadRunners.layer,
    WebhookLayers.delivery(settings),
    Witnessing.following,
    AlarmLayers.pusher(settings)
  ).pipe(
    Layer.provide(AlarmLayers.ofNode(settings)),
    Layer.provideMerge(Runner.layer),
    Layer.provideMerge(
      ClusterNode.runner({ ...NodeLayers.clusterOptions(settings), ...addresses }).pipe(Layer.provide(pools.cluster))
    ),
    Layer.provideMerge(Layer.merge(Rails.layerFilledIn(settings), Prices.layer(settings))),
    Layer.provideMerge(VenueStorage.layer(pools)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(NodeLayers.layer(settings, pools, node))
  )
}
