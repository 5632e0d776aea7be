/** What all processes of a venue agree on: what it lists, its limits, and the key that its secrets are sealed with. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { derivedKey } from "@venue/auth/keys/DerivedKey"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import type { Instrument } from "@venue/domain/Instrument"
import { Listings } from "@venue/storage/listing/Listings"
import { Effect, Layer, Redacted } from "effect"
import type { SharedSettings } from "./Settings.ts"

/** What a new venue lists, and what its operator had listed since. */
export const listed = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const listings = Effect.flatMap(Listings, ({ all }) => all)
  const tables = Listings.layer.pipe(Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 1 }))))
  return contracts(yield* Effect.provide(listings, tables))
})

/** Of one name it is the operator's, since records count in its steps. */
export const contracts = (later: ReadonlyArray<Instrument>): VenueSettings["instruments"] =>
  new Map([...defaults.instruments, ...later.map((instrument) => [instrument.symbol, instrument] as const)])

export const venueSettings = (settings: SharedSettings, instruments: VenueSettings["instruments"]) =>
  Layer.succeed(VenueSettings)({
    ...defaults,
    instruments,
    desks: settings.desks,
    rateLimits: settings.rateLimits,
    railPollMillis: settings.railPollMillis,
    maxOpenOrdersPerSymbol: settings.maxOpenOrdersPerSymbol,
    maxOpenOrdersPerAccount: settings.maxOpenOrdersPerAccount
  })

/** They may not change once a venue has been started with them. */
export const fixed = ({ desks }: SharedSettings, secretKey: Redacted.Redacted): Readonly<Record<string, string>> => ({
  VENUE_DESKS: String(desks),
  "the mark of VENUE_SECRET_KEY": markOf(secretKey)
})

/** Tells one secret from another, and nothing else of it. */
export const markOf = (secretKey: Redacted.Redacted): string =>
  Redacted.value(derivedKey(secretKey, "mark")).slice(0, 16)
