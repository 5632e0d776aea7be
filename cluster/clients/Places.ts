/**
 * Where desks and markets live. The library puts an entity on a shard by the hash of its address, which may give one runner
 * nine desks and another two; so the address begins with a number that was chosen for the shard it leads to.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import { EntityId, Sharding } from "effect/cluster"
import { deskGroup } from "../protocol/Desk.ts"
import { marketGroup } from "../protocol/Market.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** Addresses of entities. Every node must list the same markets in the same order. */
export interface Places {
  readonly desk: (deskId: string) => string
  readonly market: (symbol: MarketSymbol) => string
}

/** The id of the entity that lives at an address. */
export const idOf = (address: string): string => address.slice(address.indexOf(separator) + 1)

/** A group has as many shards as there are desks: each desk has its own, and markets take them in the order of their listing. */
export const make: Effect.Effect<Places, never, Sharding.Sharding> = Effect.gen(function* () {
  const sharding = yield* Sharding.Sharding
  const { desks, instruments } = yield* VenueSettings
  const symbols = [...instruments.keys()]
  const found = new Map<string, string>()

  const at = (group: string, id: string, place: number): string => {
    const key = `${group}/${id}`
    const known = found.get(key)
    if (known !== undefined) return known
    const shard = (place % desks) + 1
    for (let n = 0; n < maxTries; n++) {
      const address = `${n}${separator}${id}`
      if (sharding.getShardId(EntityId.make(address), group).id !== shard) continue
      found.set(key, address)
      return address
    }
    throw new Error(`no address of ${key} leads to shard ${shard}: are there as many shards as desks?`)
  }
  return {
    desk: (deskId) => at(deskGroup, deskId, Number(deskId)),
    market: (symbol) => at(marketGroup, symbol, Math.max(0, symbols.indexOf(symbol)))
  }
})

const separator = "."
/** Every shard of a thousand is found within so many tries but once in 10^40 times. */
const maxTries = 100_000
