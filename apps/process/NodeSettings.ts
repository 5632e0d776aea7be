/** Settings of one node, loaded and checked: all faults are refused at once. */
import { Effect, Option, Result } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Access from "./Access.ts"
import * as ExampleValues from "./ExampleValues.ts"
import * as GivenSettings from "./GivenSettings.ts"
import { addressesOf, type NodeSettings, own } from "./NodeVariables.ts"
import * as InitialSettings from "./InitialSettings.ts"
import * as Production from "./Production.ts"
import * as Rails from "./Rails.ts"
import * as SecretFiles from "./SecretFiles.ts"
import * as SecretKeys from "./SecretKeys.ts"
import { broken, faultsOf, firstOfEach, refuseAll, type Rule } from "./SettingRefused.ts"
import * as TlsFiles from "./TlsFiles.ts"

export { addressesOf, type NodeSettings, traffic } from "./NodeVariables.ts"

/** Loads this process's settings from the environment and from secret files. Refuses all invalid settings at once. */
export const load = Effect.fn("NodeSettings.load")(function* (kind: NodeSettings["kind"]) {
  const { faults, settings, unknown } = yield* read(kind)
  yield* refuseAll(faults)
  if (unknown.length > 0) yield* Effect.logWarning(`unknown settings have no effect: ${unknown.join(", ")}`)
  return settings
})

/**
 * Returns the settings with all their faults. A setting with a fault has its default value, or a stand-in if it has no
 * default.
 */
export const read = Effect.fn("NodeSettings.read")(function* (kind: NodeSettings["kind"]) {
  const files = yield* SecretFiles.read
  const given = yield* GivenSettings.check(kind, files.provider)
  const { name, secretKey, ...parsed } = yield* Effect.orDie(own.parse(given.usable))
  const keys = SecretKeys.of(secretKey)
  const tls = yield* Effect.result(TlsFiles.read(parsed))
  const initial = yield* Effect.result(InitialSettings.of(kind, given.usable))
  const settings: NodeSettings = {
    ...parsed,
    healthPort: Option.getOrElse(parsed.healthPort, () => healthPorts[kind]),
    initial: Result.getOrElse(initial, () => ({})),
    kind,
    name: Option.getOrElse(name, () => `${kind}-${SecureRandom.uuidV4Unsafe().slice(0, 8)}`),
    key: keys[0],
    keys,
    secretKey: Option.some(keys[0]),
    tls: Result.getOrUndefined(tls)
  }
  const access = kind === "gateway" ? Access.faultsOf(settings, settings.key) : []
  const faults = firstOfEach([
    ...files.faults,
    ...given.faults,
    ...broken(rulesOf(settings, name)),
    ...(Result.isFailure(tls) ? [tls.failure] : []),
    ...(Result.isFailure(initial) ? [initial.failure] : []),
    ...(kind === "runner" ? yield* faultsOf(addressesOf(settings)) : access),
    ...(yield* Rails.faultsOf(settings)),
    ...Production.faultsOf(settings),
    ...(yield* ExampleValues.faultsOf(files.provider))
  ])
  return { settings, faults, unknown: given.unknown, given: files.provider }
})

/** A gateway's default follows the default ports of its listeners. */
const healthPorts = { runner: 4010, gateway: 4006 }

const rulesOf = (
  { keys, kind, lockSeconds, authClientKeys, witnessDir }: NodeSettings,
  name: Option.Option<string>
): Array<Rule> => [
  ...SecretKeys.rulesOf(keys),
  [
    "VENUE_NODE_NAME",
    // Postgres truncates longer application names and replaces other characters.
    Option.isNone(name) || /^[\w.-]{1,48}$/.test(name.value),
    "1 to 48 letters, digits, dots, underscores and hyphens"
  ],
  [
    "VENUE_NODE_NAME",
    Option.isSome(name) || Option.isNone(witnessDir),
    "a name, because VENUE_WITNESS_DIR belongs to one node"
  ],
  ["VENUE_CLUSTER_LOCK_SECONDS", lockSeconds >= 1 && lockSeconds <= 60, "1 to 60"],
  ["VENUE_AUTH_CLIENT_KEY", kind === "runner" || authClientKeys.length > 0, "the apikey of the venue's own pages"]
]
