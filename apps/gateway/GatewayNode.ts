/** Gateway node: all six listeners, the health address, and no entities. */
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as Runner from "@venue/cluster/Runner"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { SettingCatalogue } from "@venue/gateway/admin/Settings"
import * as Gateways from "@venue/gateway/Gateways"
import { Conditions, Health } from "@venue/gateway/http/Health"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { MigrationProgress } from "@venue/postgres/MigrationProgress"
import { Revocations } from "@venue/storage/access/Revocations"
import * as VenueStorage from "@venue/storage/VenueStorage"
import * as Nodes from "@venue/telemetry/catalogue/Nodes"
import * as Meter from "@venue/telemetry/Meter"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "../process/Access.ts"
import * as AdminListener from "../process/AdminListener.ts"
import * as Agreement from "../process/Agreement.ts"
import * as AlarmLayers from "../process/AlarmLayers.ts"
import * as Catalogue from "../process/Catalogue.ts"
import * as Claimed from "../process/Claimed.ts"
import * as FirstStart from "../process/FirstStart.ts"
import * as HealthServer from "../process/HealthServer.ts"
import * as Listeners from "../process/Listeners.ts"
import { Membership } from "../process/Membership.ts"
import * as NodeLayers from "../process/NodeLayers.ts"
import * as NodeLog from "../process/NodeLog.ts"
import * as NodeMetrics from "../process/NodeMetrics.ts"
import * as NodeSettings from "../process/NodeSettings.ts"
import * as Pools from "../process/Pools.ts"
import * as Ports from "../process/Ports.ts"
import * as ProcessEnd from "../process/ProcessEnd.ts"
import * as Production from "../process/Production.ts"
import * as Readiness from "../process/Readiness.ts"
import * as Rails from "../process/Rails.ts"
import * as WebhookLayers from "../process/WebhookLayers.ts"
import * as Witnessing from "../process/witness/Witnessing.ts"

export const run = Effect.gen(function* () {
  const settings = yield* NodeSettings.load("gateway")
  NodeLog.identify(settings.name)
  ProcessEnd.usesDatabase(settings.databaseUrl)
  yield* Production.announceSimulation(settings)
  const adminListener = yield* AdminListener.read(settings)
  yield* Ports.ensureFree([...Ports.ofListeners(settings), Ports.ofHealth(settings)])
  const readiness = yield* Readiness.make
  const { healthHost, healthPort } = settings
  const { url: healthUrl } = yield* HealthServer.openWithMetrics(healthHost, healthPort, readiness.reason)
  // Answers health checks of the public port until the listeners open.
  const early = yield* HealthServer.open(settings.host, settings.restPort, readiness.reason)
  yield* Effect.provideService(
    serve(settings, adminListener, readiness, { healthUrl, closeEarly: early.close }),
    MigrationProgress,
    readiness.migrating
  )
})

const serve = Effect.fnUntraced(function* (
  settings: NodeSettings.NodeSettings,
  adminListener: Effect.Success<ReturnType<typeof AdminListener.read>>,
  readiness: Readiness.Readiness,
  { closeEarly, healthUrl }: { readonly healthUrl: string; readonly closeEarly: Effect.Effect<void> }
) {
  yield* FirstStart.check(settings)
  const contracts = yield* Agreement.listed(settings)
  readiness.follow("Joining the other nodes.")
  const access = yield* Access.layer(settings, ...settings.keys)

  const live = Effect.gen(function* () {
    const membership = yield* Membership
    const health = yield* Health
    const trade = yield* TradeGateway
    yield* closeEarly
    const urls = yield* Listeners.open(settings, {
      admin: adminListener,
      authClientKeys: settings.authClientKeys.map(Redacted.value)
    }).pipe(Effect.provideService(SettingCatalogue, yield* Catalogue.ofGateway))
    readiness.follow(health.reason)
    yield* NodeMetrics.collect(settings, health.ready)
    const revocations = yield* Revocations
    yield* Meter.collectOne(Nodes.revocationAge, () => revocations.delayMillis() / 1_000)
    // Runs before the listeners close, because finalizers run in reverse order.
    yield* Effect.addFinalizer(() => Effect.andThen(health.stop, trade.drain))
    yield* membership.report(() => ({ isReady: health.ready(), shards: 0 }))
    yield* NodeLayers.awaited(health.ready)
    const addresses = Object.entries(urls).map(([name, url]) => `${name.replace("_", " ")} ${url}`)
    yield* NodeLog.announce(`${settings.name} ready, pid ${process.pid}, ${addresses.join(", ")}, health ${healthUrl}`)
    yield* membership.ended
    ProcessEnd.boundTheStop()
  })
  const address = `${settings.host}:${settings.tradePort}`
  yield* Effect.scoped(Claimed.whileClaimed(live)).pipe(
    Effect.provide(services(settings, access, { address, contracts }))
  )
})

const services = (
  settings: NodeSettings.NodeSettings,
  access: Effect.Success<ReturnType<typeof Access.layer>>,
  node: NodeLayers.NodeTerms
) => {
  const pools = Pools.make(settings, "gateway")
  return Layer.mergeAll(
    Gateways.layer,
    Witnessing.following,
    Witnessing.followingMarkets,
    AlarmLayers.pusher(settings)
  ).pipe(
    Layer.provideMerge(AlarmLayers.ofNode(settings)),
    Layer.provideMerge(Health.layerGateway.pipe(Layer.provide(conditions))),
    Layer.provideMerge(Runner.clients),
    Layer.provideMerge(ClusterNode.gateway(NodeLayers.clusterOptions(settings)).pipe(Layer.provide(pools.cluster))),
    Layer.provideMerge(access),
    Layer.provideMerge(SigningKeys.layer),
    Layer.provideMerge(Rails.layerGatewayFilledIn(settings)),
    Layer.provideMerge(Layer.merge(VenueStorage.layer(pools), WebhookLayers.endpoints(settings))),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(NodeLayers.layer(settings, pools, node))
  )
}

const conditions = Layer.effect(
  Conditions,
  Effect.map(Membership, ({ isConnected }) => [{ holds: isConnected, reason: Membership.silence }])
)
