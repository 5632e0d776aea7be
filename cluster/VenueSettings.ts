/** What every room of one venue agrees on: the contracts it lists and its limits. */
import { type Instrument, initialInstruments } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Context } from "effect"

export interface VenueSettings {
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  /** Fixed at first start. */
  readonly desks: number
  readonly maxOpenOrdersPerSymbol: number
  readonly maxOpenOrdersPerAccount: number
  /** Message limits; never off in production. */
  readonly rateLimits: boolean
  /** How long a command may wait for its market before it is refused there. */
  readonly commandExpiryMillis: number
  /** Without a renewal for this long a gateway's armed connections count as ended. */
  readonly leaseMillis: number
  /** How often the outside of a rail is asked. */
  readonly railPollMillis: number
}

export const defaults: VenueSettings = {
  instruments: new Map(initialInstruments.map((instrument) => [instrument.symbol, instrument])),
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
