/** Values that all processes of a venue share: contracts, limits, and the key that seals secrets. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { derivedKey } from "@venue/auth/keys/DerivedKey"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import type { Instrument } from "@venue/domain/Instrument"
import type { FixedValue } from "@venue/postgres/FixedSettings"
import * as ListedContracts from "@venue/domain/ListedContracts"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Listings } from "@venue/storage/listing/Listings"
import { Effect, Layer, Redacted } from "effect"
import type { SharedSettings } from "./Settings.ts"

/** Returns a venue's initial contracts and the contracts that its operator has listed. */
export const listed = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const listings = Effect.flatMap(Listings, ({ all }) => all)
  const tables = Listings.layer.pipe(Layer.provide(Layer.fresh(DatabaseClient.layer({ url, maxConnections: 1 }))))
  return contracts(yield* Effect.provide(listings, tables))
})

/**
 * Returns all contracts. The operator's contract replaces a default for the same symbol, because the journal counts
 * in the operator's ticks and lots.
 */
export const contracts = (later: ReadonlyArray<Instrument>): ListedContracts.ListedContracts =>
  ListedContracts.make(
    new Map([...defaults.instruments, ...later.map((instrument) => [instrument.symbol, instrument] as const)]).values()
  )

export const venueSettings = (settings: SharedSettings, contracts: ListedContracts.ListedContracts) =>
  Layer.succeed(VenueSettings)({
    ...defaults,
    instruments: contracts.instruments,
    watchListed: contracts.watch,
    desks: settings.desks,
    rateLimits: settings.rateLimits,
    railPollMillis: settings.railPollMillis,
    maxOpenOrdersPerSymbol: settings.maxOpenOrdersPerSymbol,
    maxOpenOrdersPerAccount: settings.maxOpenOrdersPerAccount
  })

/** Settings of a node that follows running settings. */
export const runningVenueSettings = (settings: SharedSettings, contracts: ListedContracts.ListedContracts) =>
  Layer.effect(
    VenueSettings,
    Effect.gen(function* () {
      const fixed = yield* VenueSettings
      const { now } = yield* RunningSettings
      return {
        ...fixed,
        get maxOpenOrdersPerSymbol() {
          return now().maxOpenOrdersPerSymbol
        },
        get maxOpenOrdersPerAccount() {
          return now().maxOpenOrdersPerAccount
        }
      }
    })
  ).pipe(Layer.provide(venueSettings(settings, contracts)))

/**
 * Returns the settings that must not change after a venue's first start. The stored mark is that of the key under which
 * all secrets are sealed: `npm run rekey` replaces it.
 */
export const fixed = (
  { desks }: Pick<SharedSettings, "desks">,
  ...secretKeys: ReadonlyArray<Redacted.Redacted>
): Readonly<Record<string, FixedValue>> => ({
  VENUE_DESKS: String(desks),
  [secretKeyMark]: secretKeys.map(markOf)
})

export const secretKeyMark = "the mark of VENUE_SECRET_KEY"

/** Returns a fingerprint that distinguishes secrets and reveals nothing else. */
export const markOf = (secretKey: Redacted.Redacted): string =>
  Redacted.value(derivedKey(secretKey, "mark")).slice(0, 16)
