/**
 * Hashes of the settings that must be the same on all nodes. A node that differs is refused, with the name of the
 * setting, before it serves.
 */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { derivedKey } from "@venue/auth/keys/DerivedKey"
import * as Runner from "@venue/cluster/Runner"
import { defaults, type VenueSettings } from "@venue/cluster/VenueSettings"
import type { Instrument } from "@venue/domain/Instrument"
import { hashOf } from "@venue/postgres/SecretHash"
import { Listings } from "@venue/storage/listing/Listings"
import { type Node, Nodes } from "@venue/storage/nodes/Nodes"
import { Effect, Layer, Option, Redacted } from "effect"
import * as Agreed from "./Agreed.ts"
import type { NodeSettings } from "./NodeSettings.ts"
import * as SecretKeys from "./SecretKeys.ts"

/**
 * Returns the hashes by name. Omits ports, addresses, proxies and drills, which belong to one node. A setting that
 * only runners or only gateways read is compared among those nodes only.
 */
export const hashesOf = (settings: NodeSettings): Readonly<Record<string, string>> => {
  const own = {
    ...ofAll(settings),
    ...(settings.kind === "runner" ? ofRunner(settings) : ofGateway(settings))
  }
  const replaced = {
    VENUE_SECRET_KEY: SecretKeys.all(settings.keys).map(Agreed.markOf),
    ...(settings.kind === "gateway" ? ofReplaced(settings) : {})
  }
  // A node with two secret keys has a hash of each value under each key, the one in use first.
  const hashes = SecretKeys.all(settings.keys).map(hashUnder)
  const hashed = (values: ReadonlyArray<unknown>) => hashes.flatMap((hash) => values.map(hash)).join(",")
  return Object.fromEntries([
    ...Object.entries(own)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, hashed([value])]),
    ...Object.entries(replaced).map(([name, values]) => [name, hashed(values)])
  ])
}

/** Returns whether the node that reported these settings uses this secret key, and not only accepts it. */
export const usesSecretKey = (settings: Readonly<Record<string, string>>, key: Redacted.Redacted): boolean =>
  settings["VENUE_SECRET_KEY"]?.split(",")[0] === hashUnder(key)(Agreed.markOf(key))

/**
 * Returns the contracts with which a node starts: those in force on the live nodes, or all contracts if no node lives.
 * A later contract is added once every live node knows it.
 */
export const listed = Effect.fn("Agreement.listed")(function* (settings: NodeSettings) {
  const { later, nodes } = yield* Effect.gen(function* () {
    return { later: yield* (yield* Listings).all, nodes: yield* (yield* Nodes).all }
  }).pipe(
    Effect.provide(
      Layer.merge(Listings.layer, Nodes.layer).pipe(
        Layer.provide(Layer.fresh(DatabaseClient.layer({ url: settings.databaseUrl, maxConnections: 1 })))
      )
    )
  )
  const living = nodes.filter(({ isLiving, name }) => isLiving && name !== settings.name)
  const counts = living.flatMap(({ contractsInForce }) => contractsInForce ?? [])
  if (counts.length > 0) return Agreed.contracts(later.slice(0, Math.max(...counts)))
  return Agreed.contracts(later.slice(0, countOfOlder(settings, later, living)))
})

/** Returns the number of operators' contracts on live nodes of release 0.1.0, which hash their contracts. */
const countOfOlder = (
  settings: NodeSettings,
  later: ReadonlyArray<Instrument>,
  living: ReadonlyArray<Node>
): number => {
  const older = new Set(living.map(({ settings }) => settings[contractsOfOlder]))
  const hashes = SecretKeys.all(settings.keys).map(hashUnder)
  for (let count = later.length; count >= 0; count--) {
    const { instruments } = Agreed.contracts(later.slice(0, count))
    if (hashes.some((hash) => older.has(hash(termsOf(instruments))))) return count
  }
  return later.length
}

/** Keyed with the venue's secret, because an unkeyed hash would reveal short values. */
const hashUnder = (secretKey: Redacted.Redacted) => {
  const key = Redacted.value(derivedKey(secretKey, "agreement"))
  return (value: unknown): string => hashOf(Redacted.make(`${key} ${JSON.stringify(value)}`)).slice(0, 16)
}

const contractsOfOlder = "the contracts listed"
const termsOf = (instruments: VenueSettings["instruments"]) =>
  [...instruments.values()].map((instrument) =>
    Object.entries(instrument).map(([name, value]) => `${name} ${String(value)}`)
  )

const ofAll = (settings: NodeSettings) => ({
  VENUE_ENVIRONMENT: settings.environment,
  VENUE_DESKS: settings.desks,
  VENUE_RATE_LIMITS: settings.rateLimits,
  VENUE_CLUSTER_LOCK_SECONDS: settings.lockSeconds,
  VENUE_WEBHOOK_LOOPBACK: settings.webhookLoopback,
  VENUE_ARBITRUM_CHAIN_ID: settings.arbitrum.chainId,
  VENUE_ARBITRUM_TOKEN: settings.arbitrum.token.toLowerCase(),
  VENUE_ARBITRUM_XPUB: settings.arbitrum.xpub,
  VENUE_TRON_GENESIS: settings.tron.genesis,
  VENUE_TRON_TOKEN: settings.tron.chain.token,
  VENUE_TRON_XPUB: settings.tron.xpub,
  // Whether nodes use TLS, without the authority. During a replacement, some nodes trust both authorities and others
  // trust one.
  "whether nodes show certificates": settings.tls !== undefined,
  "the shard groups": Runner.groups.availableShardGroups,
  "the terms of a command": [defaults.commandExpiryMillis, defaults.leaseMillis],
  "the contracts of a new venue": termsOf(defaults.instruments)
})

const ofRunner = (settings: NodeSettings) => ({
  VENUE_SIMULATED_PRICES: settings.simulatedPrices,
  VENUE_SIMULATED_RAILS: settings.simulatedRails,
  VENUE_BANK_URL: Option.getOrElse(settings.bank.url, () => "")
})

const ofGateway = (settings: NodeSettings) => ({
  VENUE_BRAND: settings.brand,
  VENUE_KEY_PREFIX: settings.keyPrefix,
  VENUE_PUBLIC_AUTH_URL: Option.getOrUndefined(settings.publicAuthUrl),
  VENUE_PUBLIC_REST_URL: Option.getOrUndefined(settings.publicRestUrl),
  VENUE_PUBLIC_FUNDING_URL: Option.getOrUndefined(settings.publicFundingUrl),
  VENUE_PUBLIC_TRADE_URL: Option.getOrUndefined(settings.publicTradeUrl),
  VENUE_PUBLIC_MARKET_DATA_URL: Option.getOrUndefined(settings.publicMarketDataUrl),
  VENUE_SERVICE_NAME: settings.serviceName,
  VENUE_WALLET_SIGN_IN: settings.walletSignIn,
  VENUE_LOWERCASE_ADDRESSES: settings.lowercaseAddresses,
  VENUE_SIGN_IN_URI: settings.signInUris,
  VENUE_BUILDER_URI: settings.builderUri,
  VENUE_BUILDER_CODES: settings.builderCodes,
  VENUE_PUBLIC_FORM_REFRESH: settings.publicFormRefresh,
  VENUE_CAPTCHA: settings.captcha,
  VENUE_CAPTCHA_PROVIDER: settings.captchaProvider,
  VENUE_CAPTCHA_SITE_KEY: Option.getOrElse(settings.captchaSiteKey, () => ""),
  VENUE_IDENTITY_URL: Option.getOrElse(settings.identityUrl, () => "")
})

/** Settings that have two values during a replacement: the first is used, both are accepted. */
const ofReplaced = (settings: NodeSettings): Readonly<Record<string, ReadonlyArray<string>>> => ({
  VENUE_AUTH_CLIENT_KEY: settings.authClientKeys.map(Redacted.value),
  VENUE_BUILDER_KEY: (settings.builderKeys.length === 0 ? SecretKeys.all(settings.keys) : settings.builderKeys).map(
    Agreed.markOf
  ),
  VENUE_CLIENT_AGREEMENT_URL: settings.clientAgreementUrls
})
