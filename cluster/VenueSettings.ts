/** Settings shared by all nodes of a venue: listed contracts, number of desks, limits and timings. */
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Context } from "effect"

export interface VenueSettings {
  /** Listed contracts in listing order, which must be the same on every node. A live view: contracts are added. */
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  /** Calls `observe` for each added contract. Returns a function that stops the calls. */
  readonly watchListed: (observe: (instrument: Instrument) => void) => () => void
  /** Number of desks, fixed when the venue first starts. */
  readonly desks: number
  /** In force when it is read; operators change both limits while the venue runs. */
  readonly maxOpenOrdersPerSymbol: number
  readonly maxOpenOrdersPerAccount: number
  /** Whether rate limits apply; always true in production. */
  readonly rateLimits: boolean
  /** Time after which a market refuses a command that has not been executed. */
  readonly commandExpiryMillis: number
  /** Lease of an armed connection. A connection without a renewal for this long counts as closed. */
  readonly leaseMillis: number
  readonly railPollMillis: number
}

export const defaults: VenueSettings = {
  instruments: new Map(initialInstruments.map((instrument) => [instrument.symbol, instrument])),
  watchListed: () => () => {},
  desks: 16,
  maxOpenOrdersPerSymbol: 200,
  maxOpenOrdersPerAccount: 1000,
  rateLimits: true,
  commandExpiryMillis: 5_000,
  leaseMillis: 3_000,
  railPollMillis: 1_000
}

export const VenueSettings = Context.Reference<VenueSettings>("@venue/cluster/VenueSettings", {
  defaultValue: () => defaults
})
