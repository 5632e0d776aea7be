/**
 * Dev app: a database, the whole venue in one process, demo users, a market maker, and `dev.json` with URLs and keys.
 */
import * as NodeLog from "../process/NodeLog.ts"
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { DatabaseServers } from "@venue/postgres/DatabaseServers"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { Feed } from "@venue/cluster/feed/Feed"
import type { ListedContracts } from "@venue/domain/ListedContracts"
import * as LiveListings from "@venue/storage/listing/LiveListings"
import { ListingReach } from "@venue/storage/listing/LiveListings"
import * as RailEntities from "@venue/cluster/entities/rail/Rails"
import * as Runner from "@venue/cluster/Runner"
import { Health } from "@venue/gateway/http/Health"
import { SettingCatalogue } from "@venue/gateway/admin/Settings"
import * as Gateways from "@venue/gateway/Gateways"
import { urlOf } from "@venue/gateway/http/Listening"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { RevokesAlone } from "@venue/storage/access/Revocations"
import * as VenueStorage from "@venue/storage/VenueStorage"
import * as EmbeddedPostgres from "./postgres/EmbeddedPostgres.ts"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Seal } from "@venue/postgres/Seal"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import type { Texts } from "@venue/storage/settings/SettingValues"
import { Effect, FileSystem, Layer, Option, Path, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "../process/Access.ts"
import * as AdminListener from "../process/AdminListener.ts"
import * as AuditorProcess from "../process/AuditorProcess.ts"
import * as Agreed from "../process/Agreed.ts"
import * as AlarmLayers from "../process/AlarmLayers.ts"
import * as AuthPlace from "../process/AuthPlace.ts"
import * as Catalogue from "../process/Catalogue.ts"
import * as Claimed from "../process/Claimed.ts"
import { DataDirRefused } from "./DataDirRefused.ts"
import * as DevFile from "./DevFile.ts"
import * as InitialSettings from "../process/InitialSettings.ts"
import * as Listeners from "../process/Listeners.ts"
import * as Pools from "../process/Pools.ts"
import * as Ports from "../process/Ports.ts"
import * as Secrets from "./Secrets.ts"
import * as Seed from "./Seed.ts"
import type { Settings } from "./Settings.ts"
import * as Undecided from "./Undecided.ts"
import * as MarketMaker from "./MarketMaker.ts"
import * as ProcessEnd from "../process/ProcessEnd.ts"
import * as Prices from "../process/Prices.ts"
import * as Production from "../process/Production.ts"
import * as RunningRules from "../process/RunningRules.ts"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as Rails from "../process/Rails.ts"
import * as StartMode from "../process/StartMode.ts"
import * as WebhookLayers from "../process/WebhookLayers.ts"
import * as Witnessing from "../process/witness/Witnessing.ts"

const say = NodeLog.announce

export const run = Effect.fn("Dev.run")(function* (settings: Settings) {
  yield* Production.developmentOnly(settings.environment, "npm start")
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const devFile = path.join(settings.dataDir, "dev.json")
  const adminListener = yield* AdminListener.read(settings)
  yield* Ports.ensureFree(Ports.ofListeners(settings))
  const names = [...Seed.demoNames, ...Seed.extraNames(settings.extraUsers), Seed.makerName]
  const secrets = yield* Effect.catchTag(Secrets.load(settings.dataDir, names), "PlatformError", DataDirRefused.because)
  const { isFounded: isKnown } = secrets
  const people = names.map((name) => secrets.users.find((user) => user.name === name)!)
  const url = Option.isSome(settings.databaseUrl)
    ? settings.databaseUrl.value
    : (yield* EmbeddedPostgres.start({ dataDir: path.join(settings.dataDir, "postgres"), isKnown, log: say })).url
  // No other venue runs on this database, so the old URLs are stale.
  yield* files.remove(devFile, { force: true })

  ProcessEnd.usesDatabase(url)
  yield* say("preparing the tables")
  const contracts = yield* Agreed.listed(url)
  const { instruments } = contracts
  const initial = yield* InitialSettings.of("start", yield* SecretFiles.environment)
  yield* Prices.check(instruments, initial.priceSources)
  const simulated = yield* Prices.simulated(settings, instruments, initial.priceSources)
  const given = { ...initial, adminToken: Redacted.make(secrets.adminToken) }
  const secretKey = Option.getOrElse(settings.secretKey, () => Redacted.make(secrets.secretKey))
  const live = Effect.gen(function* () {
    const feed = yield* Feed
    const trade = yield* TradeGateway
    const health = yield* Health
    const auditing = { databaseUrl: url, place: path.resolve(settings.dataDir), say }
    const auditedBefore = settings.auditor ? yield* AuditorProcess.keep(auditing) : null
    const openListeners = Listeners.open(settings, {
      admin: adminListener,
      authClientKeys: [secrets.authClientKey]
    }).pipe(Effect.provideService(SettingCatalogue, yield* Catalogue.ofGateway))
    // Markets and desks wait for the decision, which an operator sends to these listeners.
    const opened = (yield* Undecided.isHeld) ? yield* openListeners : undefined
    if (opened !== undefined) yield* Undecided.wait(say, opened.admin)
    yield* say("starting the markets and the desks")
    const { adminToken, termsVersion } = (yield* RunningSettings).now()
    yield* Seed.plant({ people, builderCode: secrets.builderCode, termsVersion })
    yield* Seed.appoint(secrets.treasurerToken)
    yield* Seed.plantFutures(simulated)
    const oauthClients = yield* Seed.registerClients(secrets.oauthClients)
    yield* Secrets.save(settings.dataDir, { ...secrets, oauthClients, isFounded: true })
    yield* Runner.ready
    const urls = opened ?? (yield* openListeners)
    // Runs before the listeners close, because finalizers run in reverse order.
    yield* Effect.addFinalizer(() => health.stop.pipe(Effect.andThen(trade.drain), Effect.andThen(Runner.disarmed)))

    yield* priced(feed, simulated)
    if (settings.marketMaker) {
      const { publicKey, secretKey } = secrets.users.find(({ name }) => name === Seed.makerName)!
      yield* Effect.forkScoped(
        MarketMaker.run({
          // Local URLs, because the public ones might lead through a proxy that this machine cannot reach.
          restUrl: urlOf("http", settings.host, settings.restPort),
          tradeUrl: urlOf("ws", settings.host, settings.tradePort),
          marketDataUrl: urlOf("ws", settings.host, settings.marketDataPort),
          keys: { publicKey, secretKey: Redacted.make(secretKey) }
        })
      )
    }
    const { signInUris } = AuthPlace.of(settings)
    const contents = DevFile.of({
      settings,
      urls,
      secrets: { ...secrets, oauthClients, adminToken: Redacted.value(adminToken) },
      people,
      signInUri: signInUris[0]!
    })
    yield* Secrets.writePrivately(devFile, JSON.stringify(contents, null, 2))
    for (const [name, address] of Object.entries(urls)) yield* say(`${name.replace("_", " ").padEnd(12)}${address}`)
    if (settings.auditor) yield* AuditorProcess.audited(say, auditedBefore)
    yield* say(`ready; keys and addresses are in ${devFile}. Ctrl-C stops the venue.`)
    return yield* Effect.never
  })
  const access = yield* Access.layer(settings, secretKey)
  return yield* Effect.scoped(Claimed.whileClaimed(live)).pipe(
    Effect.provide(services(settings, contracts, url, { secretKey, isKnown, given }, access))
  )
})

/** Waits up to 10 s until all simulated markets are open. A market opens with its first price. */
const priced = (feed: Feed["Service"], symbols: ReadonlyArray<MarketSymbol>) =>
  Effect.repeat(Effect.sleep("20 millis"), {
    until: () => symbols.every((symbol) => feed.prices.has(symbol))
  }).pipe(Effect.timeoutOption("10 seconds"))

/**
 * Connection pools by purpose. Reads and access checks use no connection from the journal pool, which commits the
 * trades.
 */
const poolsOf = (url: Redacted.Redacted) => {
  const servers = DatabaseServers.layer(url)
  const pool = (maxConnections: number) => Layer.provide(DatabaseClient.pool({ maxConnections }), servers)
  return { journal: pool(10), tables: pool(Pools.sizes.gateway.tables), access: pool(6) }
}

const services = (
  settings: Settings,
  contracts: ListedContracts,
  url: Redacted.Redacted,
  {
    given,
    isKnown,
    secretKey
  }: { readonly isKnown: boolean; readonly secretKey: Redacted.Redacted; readonly given: Texts },
  access: Effect.Success<ReturnType<typeof Access.layer>>
) => {
  const pools = poolsOf(url)
  // In trials, a new withdrawal address has no hold.
  const defaults = { newAddressHoldHours: Redacted.make("0") }
  const running = Layer.effectDiscard(RunningRules.check(settings)).pipe(
    Layer.provideMerge(Agreed.runningVenueSettings(settings, contracts)),
    Layer.provideMerge(RunningSettings.layer({ given, defaults }).pipe(Layer.provide(pools.access)))
  )
  const watched = AlarmLayers.watchedAlone(settings, settings.dataDir, url)
  return Layer.merge(Gateways.layer, AlarmLayers.pusher(settings)).pipe(
    Layer.provideMerge(AlarmLayers.own(settings, { kind: "gateway", name: "venue", watched })),
    Layer.provideMerge(Health.layer),
    Layer.provideMerge(RailEntities.layer),
    Layer.provideMerge(Layer.mergeAll(Runner.layer, WebhookLayers.delivery(settings), Witnessing.following)),
    Layer.provideMerge(Runner.alone({ simulate: false })),
    Layer.provideMerge(access),
    Layer.provideMerge(SigningKeys.layer),
    Layer.provideMerge(Layer.merge(Rails.layerFilledIn(settings), Prices.layer(settings))),
    Layer.provideMerge(Layer.effect(ListingReach, LiveListings.followAlone(contracts))),
    Layer.provideMerge(VenueStorage.layer(pools)),
    Layer.provideMerge(WebhookLayers.endpoints(settings)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(running),
    Layer.provideMerge(Seal.layer(secretKey)),
    Layer.provideMerge(
      Witnessing.layer({
        name: "venue",
        directory: Option.some(`${settings.dataDir}/witness`),
        isExpected: false,
        wallet: Option.none()
      })
    ),
    Layer.provideMerge(Layer.effectDiscard(StartMode.apply(settings))),
    Layer.provideMerge(FixedSettings.layerAlone(Agreed.fixed(settings, secretKey), { isKnown })),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(pools.journal),
    Layer.provideMerge(Layer.succeed(RevokesAlone)(true))
  )
}
