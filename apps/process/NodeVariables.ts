/** Variables of one node: those of any venue, its name and its addresses. */
import type { NodeAddress } from "@venue/cluster/ClusterNode"
import type { Texts } from "@venue/storage/settings/SettingValues"
import type { ClusterTls } from "@venue/cluster/ClusterTls"
import { Config, Effect, Option, Redacted } from "effect"
import { databaseUrl } from "./DatabaseSettings.ts"
import type { SecretKeys } from "./SecretKeys.ts"
import * as Setting from "./Setting.ts"
import { SettingRefused } from "./SettingRefused.ts"
import { adminToken, authClientKeys, secretKey, shared, type SharedSettings } from "./Settings.ts"
import * as TlsFiles from "./TlsFiles.ts"
import * as Tracing from "./Tracing.ts"
import { witnessDir } from "./witness/WitnessSettings.ts"

/** Settings for the traffic between nodes. */
export const traffic = {
  lockSeconds: Setting.int("VENUE_CLUSTER_LOCK_SECONDS", {
    default: 3,
    unit: "s",
    meaning: "Time after which a frozen runner loses its markets and desks, 1 to 60 s",
    readers: ["cluster", "runner", "gateway"],
    changes: "all nodes"
  }),
  ...TlsFiles.paths
}

const nodes: ReadonlyArray<Setting.Reader> = ["runner", "gateway"]

export const own = Config.all({
  ...shared,
  ...traffic,
  name: Config.option(
    Setting.string("VENUE_NODE_NAME", {
      usual: "kind of the process and a random suffix",
      meaning: "Unique name of the process; a new process with the same name replaces the old one, which stops",
      readers: nodes,
      changes: "process"
    })
  ),
  databaseUrl,
  secretKey,
  adminToken: Config.withDefault(adminToken, Redacted.make("")),
  authClientKeys,
  address: Config.option(
    Setting.string("VENUE_CLUSTER_ADDRESS", {
      usual: "required by a runner",
      meaning: "`host:port` at which other nodes dial this runner; use a private network",
      readers: ["runner"],
      requiredBy: ["runner"],
      changes: "process"
    })
  ),
  listen: Config.option(
    Setting.string("VENUE_CLUSTER_LISTEN", {
      usual: "`VENUE_CLUSTER_ADDRESS`",
      meaning: "`host:port` at which the runner listens, if other nodes reach it through address translation",
      readers: ["runner"],
      changes: "process"
    })
  ),
  dialFrom: Config.option(
    Setting.string("VENUE_CLUSTER_DIAL_FROM", {
      usual: "any",
      meaning: "Local IP address from which this node connects to other nodes",
      readers: nodes,
      changes: "process"
    })
  ),
  witnessDir,
  init: Config.option(
    Setting.literals("VENUE_INIT", ["new-venue"], {
      meaning:
        "`new-venue`: creates a venue in an empty database, once. Without it, only development does; `npm run init` is the other way",
      readers: nodes,
      changes: "process"
    })
  ),
  clockShiftMillis: Setting.int("VENUE_CLOCK_SHIFT_MILLIS", {
    default: 0,
    unit: "ms",
    meaning: "Offset added to the node's clock, for drills. Refused in production",
    readers: nodes,
    changes: "process"
  }),
  ...Tracing.settings,
  healthPort: Config.option(
    Setting.portOrAny("VENUE_HEALTH_PORT", {
      usual: "4010 for a runner, 4006 for a gateway",
      meaning:
        "Port of `/health/live`, `/health/ready` and `/metrics`; 0 selects a free port. A gateway also serves the health paths on each listener",
      readers: nodes,
      changes: "process"
    })
  ),
  healthHost: Setting.string("VENUE_HEALTH_HOST", {
    default: "127.0.0.1",
    meaning: "Listening address of the health port; use a private network, because metrics need no credentials",
    readers: nodes,
    changes: "process"
  })
})
type Own = Config.Success<typeof own>

export interface NodeSettings
  extends Omit<Own, "name" | "secretKey" | "healthPort">, Pick<SharedSettings, "secretKey"> {
  readonly kind: "runner" | "gateway"
  readonly name: string
  readonly healthPort: number
  /** The secret key that seals and derives: the first of `keys`. */
  readonly key: Redacted.Redacted
  readonly keys: SecretKeys
  readonly tls: ClusterTls | undefined
  /** Texts of running settings in the environment. */
  readonly initial: Texts
}

/**
 * Returns the address that other nodes connect to and the address at which this node listens. By default they are the
 * same.
 */
export const addressesOf = Effect.fnUntraced(function* ({ address, listen }: NodeSettings) {
  const dialled = yield* addressOf(
    "VENUE_CLUSTER_ADDRESS",
    Option.getOrElse(address, () => "")
  )
  return {
    address: dialled,
    listen: Option.isNone(listen) ? dialled : yield* addressOf("VENUE_CLUSTER_LISTEN", listen.value)
  }
})

const addressOf = (setting: string, text: string): Effect.Effect<NodeAddress, SettingRefused> => {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  return host === undefined || Number(port) > 65_535
    ? Effect.fail(new SettingRefused({ setting, expected: "a host and a port, such as 10.0.0.3:4100" }))
    : Effect.succeed({ host: host.replace(/^\[(.+)\]$/, "$1"), port: Number(port) })
}
