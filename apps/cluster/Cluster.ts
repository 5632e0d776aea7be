/** Cluster on this machine: database, runners, gateways, auditor and market maker, with a supervisor. */
import * as NodeLog from "../process/NodeLog.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import type { ListedContracts } from "@venue/domain/ListedContracts"
import { Seal } from "@venue/postgres/Seal"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import type { Texts } from "@venue/storage/settings/SettingValues"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { Effect, FileSystem, Layer, Option, Path, Redacted, Schedule } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { DataDirRefused } from "../dev/DataDirRefused.ts"
import * as DevFile from "../dev/DevFile.ts"
import * as EmbeddedPostgres from "../dev/postgres/EmbeddedPostgres.ts"
import * as Secrets from "../dev/Secrets.ts"
import * as Seed from "../dev/Seed.ts"
import * as AuditorProcess from "../process/AuditorProcess.ts"
import * as Agreed from "../process/Agreed.ts"
import * as AuthPlace from "../process/AuthPlace.ts"
import * as Claimed from "../process/Claimed.ts"
import * as InitialSettings from "../process/InitialSettings.ts"
import * as Ports from "../process/Ports.ts"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as Prices from "../process/Prices.ts"
import * as ClusterPlan from "./ClusterPlan.ts"
import * as ClusterFile from "./ClusterFile.ts"
import { type ClusterSecrets, type ClusterSettings, environmentOf, planOf } from "./ClusterSettings.ts"
import * as MarketMaking from "./MarketMaking.ts"
import * as OpenMarkets from "./OpenMarkets.ts"
import * as OtherCluster from "./OtherCluster.ts"
import * as Seeding from "./Seeding.ts"
import * as Supervisor from "./Supervisor.ts"

const say = NodeLog.announce

/** Runs until interrupted. Then the gateways, the runners and the database stop, in this order. */
export const run = Effect.fn("Cluster.run")(function* (settings: ClusterSettings) {
  const { venue } = settings
  const path = yield* Path.Path
  const dataDir = path.resolve(venue.dataDir)
  const plan = yield* planOf(settings)
  const hasTakenOver = yield* ClusterFile.takeOver(dataDir, say)
  // Retried, because the ports of a killed process become free only shortly after it has exited.
  const moment = { while: () => hasTakenOver, times: 40, schedule: Schedule.spaced("50 millis") }
  yield* Effect.retry(Ports.ensureFree(plan.places), moment)
  const names = [...Seed.demoNames, ...Seed.extraNames(venue.extraUsers), Seed.makerName]
  const made = yield* Effect.catchTag(Secrets.load(dataDir, names), "PlatformError", DataDirRefused.because)
  const { isFounded: isKnown } = made
  const databaseUrl = Option.isSome(venue.databaseUrl)
    ? venue.databaseUrl.value
    : (yield* EmbeddedPostgres.start({ dataDir: path.join(dataDir, "postgres"), isKnown, log: say })).url
  const secrets: ClusterSecrets = {
    databaseUrl,
    secretKey: Option.getOrElse(venue.secretKey, () => Redacted.make(made.secretKey)),
    adminToken: Option.getOrElse(settings.adminToken, () => Redacted.make(made.adminToken)),
    authClientKeys: settings.authClientKeys.length > 0 ? settings.authClientKeys : [Redacted.make(made.authClientKey)]
  }
  yield* say("preparing the tables")
  const contracts = yield* Agreed.listed(databaseUrl)
  const initial = yield* InitialSettings.of("cluster", yield* SecretFiles.environment)
  const given = { ...initial, adminToken: secrets.adminToken }
  const people = names.map((name) => made.users.find((user) => user.name === name)!)
  return yield* live({ settings, plan, dataDir, made, secrets, people, contracts }).pipe(
    Claimed.whileClaimed,
    Effect.scoped,
    Effect.provide(services(settings, secrets, contracts, { isKnown, given }))
  )
})

interface Begun {
  readonly settings: ClusterSettings
  readonly plan: Effect.Success<ReturnType<typeof planOf>>
  readonly dataDir: string
  readonly made: Secrets.Secrets
  readonly secrets: ClusterSecrets
  readonly people: ReadonlyArray<Secrets.SecretUser>
  readonly contracts: ListedContracts
}

const live = Effect.fnUntraced(function* (begun: Begun) {
  const {
    contracts: { instruments },
    dataDir,
    made,
    people,
    plan,
    secrets,
    settings
  } = begun
  const { venue } = settings
  const { gateways, runners } = plan
  const files = yield* FileSystem.FileSystem
  const devFile = (yield* Path.Path).join(venue.dataDir, "dev.json")
  yield* OtherCluster.ensureNone(new Set([...runners, ...gateways].map(({ name }) => name)))
  // No other venue runs on this database, so the old URLs are stale.
  yield* files.remove(devFile, { force: true })

  yield* Effect.addFinalizer(() => Effect.ignore(ClusterFile.remove(dataDir)))
  yield* say(`starting ${runners.length} runners and ${gateways.length} gateways`)
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const path = yield* Path.Path
  const witnessing = (node: ClusterPlan.PlannedNode) => ({
    ...node,
    environment: { ...node.environment, VENUE_WITNESS_DIR: path.join(dataDir, "witness", node.name) }
  })
  const supervisor = yield* Supervisor.make({
    runners: runners.map(witnessing),
    gateways: gateways.map(witnessing),
    environment: environmentOf(settings, secrets, gateways[0]!),
    place: dataDir,
    changed: (nodes) =>
      Effect.ignore(Effect.provide(ClusterFile.save(dataDir, { supervisor: process.pid, nodes }), context))
  })
  const auditing = { databaseUrl: secrets.databaseUrl, place: dataDir, say }
  const auditedBefore = venue.auditor ? yield* AuditorProcess.keep(auditing) : null
  const standing = Effect.gen(function* () {
    const { builderCode, oauthClients } = made
    const { cluster } = settings
    const { now } = yield* RunningSettings
    const { termsVersion } = now()
    const registered = yield* Seeding.plant({ people, builderCode, oauthClients, termsVersion, cluster })
    yield* Seed.appoint(made.treasurerToken)
    yield* Seed.plantFutures(yield* Prices.simulated(venue, instruments))
    yield* Secrets.save(dataDir, { ...made, oauthClients: registered, isFounded: true })
    yield* supervisor.ready
    const { admin } = gateways[0]!.urls
    if (venue.simulatedPrices) yield* OpenMarkets.priced(admin, now().adminToken, instruments.size)
    return registered
  })
  const oauthClients = yield* Effect.raceFirst(standing, supervisor.failed)

  if (venue.marketMaker) {
    const { publicKey, secretKey } = made.users.find(({ name }) => name === Seed.makerName)!
    yield* Effect.forkScoped(MarketMaking.run(gateways, supervisor, { publicKey, secretKey: Redacted.make(secretKey) }))
  }
  const devVenue = DevFile.of({
    settings: venue,
    urls: { ...gateways[0]!.urls, ...publicUrlsOf(venue) },
    secrets: {
      ...made,
      oauthClients,
      adminToken: Redacted.value((yield* RunningSettings).now().adminToken),
      authClientKey: Redacted.value(secrets.authClientKeys[0]!)
    },
    people,
    signInUri: AuthPlace.of(venue).signInUris[0]!
  })
  const all = { ...devVenue, gateways: gateways.map(({ urls }) => urls) }
  yield* Secrets.writePrivately(devFile, JSON.stringify(all, null, 2))
  for (const name of ClusterPlan.listenerNames)
    yield* say(`${name.replace("_", " ").padEnd(12)}${gateways.map(({ urls }) => urls[name]).join("  ")}`)
  if (venue.auditor) yield* Effect.raceFirst(AuditorProcess.audited(say, auditedBefore), supervisor.failed)
  yield* say(
    `ready; keys and addresses are in ${devFile}. npm run cluster -- status shows the nodes. Ctrl-C stops the cluster.`
  )
  return yield* Effect.never
})

/** Returns the public URLs in the settings. Clients get them instead of the first gateway's URLs. */
const publicUrlsOf = (venue: ClusterSettings["venue"]) =>
  Object.fromEntries(
    Object.entries({
      rest: venue.publicRestUrl,
      funding: venue.publicFundingUrl,
      auth: venue.publicAuthUrl,
      trade: venue.publicTradeUrl,
      market_data: venue.publicMarketDataUrl
    }).flatMap(([name, url]) => (Option.isSome(url) ? [[name, url.value] as const] : []))
  )

const services = (
  { venue }: ClusterSettings,
  { databaseUrl, secretKey }: ClusterSecrets,
  contracts: ListedContracts,
  { given, isKnown }: { readonly isKnown: boolean; readonly given: Texts }
) =>
  Layer.mergeAll(Nodes.layer, AccessTables.layer, FuturesReference.layer, NodeHttpClient.layerUndici).pipe(
    Layer.provideMerge(RunningSettings.layer({ given })),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Seal.layer(secretKey)),
    Layer.provideMerge(FixedSettings.layerShared(Agreed.fixed(venue, secretKey), { isKnown })),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(DatabaseClient.layer({ url: databaseUrl, maxConnections: 6, applicationName: "supervisor" })),
    Layer.provideMerge(Agreed.venueSettings(venue, contracts))
  )
