/** Settings of a cluster on this machine: the dev app's settings, and the cluster's own. */
import type { ClusterNodeOptions } from "@venue/cluster/ClusterNode"
import { Config, Effect, Option, Redacted } from "effect"
import { Settings } from "../dev/Settings.ts"
import * as NodeSettings from "../process/NodeSettings.ts"
import * as Production from "../process/Production.ts"
import * as ToolSettings from "../process/ToolSettings.ts"
import * as Setting from "../process/Setting.ts"
import { adminToken, authClientKeys } from "../process/Settings.ts"
import { SettingRefused } from "../process/SettingRefused.ts"
import * as TlsFiles from "../process/TlsFiles.ts"
import * as ClusterPlan from "./ClusterPlan.ts"

const own = Config.all({
  venue: Settings,
  runners: Setting.int("VENUE_CLUSTER_RUNNERS", {
    default: 3,
    meaning: "Number of runners of `npm run cluster`, 1 to 9",
    readers: ["cluster"],
    changes: "process"
  }),
  gateways: Setting.int("VENUE_CLUSTER_GATEWAYS", {
    default: 2,
    meaning: "Number of gateways of `npm run cluster`, 1 to 9. Gateway n adds 10 × (n − 1) to each listener port",
    readers: ["cluster"],
    changes: "process"
  }),
  portBase: Setting.port(ClusterPlan.portBaseVariable, {
    default: 4100,
    meaning:
      "Base of the ports with `npm run cluster`: runner n uses base+n (cluster) and base+100+n (health); gateway n uses base+110+n (health)",
    readers: ["cluster"],
    changes: "process"
  }),
  adminToken: Config.option(adminToken),
  authClientKeys,
  ...NodeSettings.traffic
})
export interface ClusterSettings extends Config.Success<typeof own> {
  /** Options of this process's connections to its nodes. */
  readonly cluster: ClusterNodeOptions
}

/** Loads the settings. Secrets can be in files. */
export const load = Effect.gen(function* () {
  const settings = yield* ToolSettings.read(own)
  yield* Production.developmentOnly(settings.venue.environment, "npm run cluster")
  const tls = yield* TlsFiles.read(settings)
  return { ...settings, cluster: { lockSeconds: settings.lockSeconds, dialFrom: undefined, tls } }
})

/** Returns the planned nodes and their ports, or refuses the setting that makes the plan impossible. */
export const planOf = Effect.fnUntraced(function* ({ gateways, portBase, runners, venue }: ClusterSettings) {
  const counts = { VENUE_CLUSTER_RUNNERS: runners, VENUE_CLUSTER_GATEWAYS: gateways }
  for (const [setting, count] of Object.entries(counts))
    if (count < 1 || count > ClusterPlan.mostOfKind)
      return yield* new SettingRefused({ setting, expected: `1 to ${ClusterPlan.mostOfKind}` })
  const { adminPort: admin, authPort: auth, fundingPort: funding, restPort: rest, tradePort: trade } = venue
  const ports = { rest, funding, auth, trade, market_data: venue.marketDataPort, admin }
  const shape = { runners, gateways, host: venue.host, ports, portBase }
  const plan = { runners: ClusterPlan.runners(shape), gateways: ClusterPlan.gateways(shape) }
  const places = [...plan.gateways, ...plan.runners].flatMap((node) => node.ports)
  const high = places.find(({ port }) => port > 65_535)
  if (high !== undefined)
    return yield* new SettingRefused({
      setting: high.variable,
      expected: `a lower port: ${high.what} would use port ${high.port}, and the highest port is 65535`
    })
  const collision = ClusterPlan.collision(places)
  if (collision === undefined) return { ...plan, places }
  const [first, second] = collision
  const expected = `another port: ${first.what} and ${second.what} would both use port ${first.port}`
  return yield* new SettingRefused({ setting: first.variable, expected })
})

export interface ClusterSecrets {
  readonly databaseUrl: Redacted.Redacted
  readonly secretKey: Redacted.Redacted
  readonly adminToken: Redacted.Redacted
  /** Keys of the venue's pages. `dev.json` contains the first one. */
  readonly authClientKeys: ReadonlyArray<Redacted.Redacted>
}

/**
 * Returns the environment of all processes in the cluster. Secrets are passed as variables, which process lists do
 * not show.
 */
export const environmentOf = (
  { venue: { publicAuthUrl, publicFormRefresh } }: ClusterSettings,
  secrets: ClusterSecrets,
  gateway: ClusterPlan.PlannedGateway
): Readonly<Record<string, string | undefined>> => ({
  ...given("VENUE_DATABASE_URL", secrets.databaseUrl),
  ...given("VENUE_SECRET_KEY", secrets.secretKey),
  ...given("VENUE_ADMIN_TOKEN", secrets.adminToken),
  ...given("VENUE_AUTH_CLIENT_KEY", Redacted.make(secrets.authClientKeys.map(Redacted.value).join(","))),
  // All gateways issue tokens under one URL: the public URL if there is one, otherwise the first gateway's.
  VENUE_PUBLIC_AUTH_URL: Option.getOrElse(publicAuthUrl, () => gateway.urls.auth),
  // The gateways of one machine share its loopback address, where `npm run cluster` itself calls the operator interface.
  VENUE_ADMIN_HOST: undefined,
  VENUE_ADMIN_TLS_CERT: undefined,
  VENUE_ADMIN_TLS_KEY: undefined,
  VENUE_ADMIN_ALLOW: undefined,
  // A separate node has a stricter default.
  VENUE_PUBLIC_FORM_REFRESH: publicFormRefresh ? "on" : "off"
})

const given = (name: string, secret: Redacted.Redacted) => ({
  [name]: Redacted.value(secret),
  [`${name}_FILE`]: undefined
})
