/**
 * Addresses of desks and markets, spread evenly over the shards. The cluster library derives an entity's shard from
 * the hash of its address, so plain ids could put nine desks on one runner and two on another. Each address therefore
 * starts with a number chosen so that the hash gives the intended shard.
 */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import { EntityId, Sharding } from "effect/cluster"
import { deskGroup } from "../protocol/Desk.ts"
import { marketGroup } from "../protocol/Market.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** Returns entity addresses. Every node must list the same markets in the same order. */
export interface Places {
  readonly desk: (deskId: string) => string
  readonly market: (symbol: MarketSymbol) => string
}

/** Returns the entity id in an address: a desk id or a market symbol. */
export const idOf = (address: string): string => address.slice(address.indexOf(separator) + 1)

/** Each shard group has one shard per desk. Desk n gets shard n + 1, and markets get shards in listing order. */
export const make: Effect.Effect<Places, never, Sharding.Sharding> = Effect.gen(function* () {
  const sharding = yield* Sharding.Sharding
  const { desks, instruments } = yield* VenueSettings
  const addresses = new Map<string, string>()

  const at = (group: string, id: string, placeOf: () => number): string => {
    const key = `${group}/${id}`
    const known = addresses.get(key)
    if (known !== undefined) return known
    const place = placeOf()
    // A symbol that is not listed yet gets any shard, and its own once it is listed.
    const shard = (Math.max(0, place) % desks) + 1
    for (let n = 0; n < maxTries; n++) {
      const address = `${n}${separator}${id}`
      if (sharding.getShardId(EntityId.make(address), group).id !== shard) continue
      if (place >= 0) addresses.set(key, address)
      return address
    }
    throw new Error(
      `no entity address of ${key} maps to shard ${shard}; set shardsPerGroup to the number of desks, ${desks}`
    )
  }
  return {
    desk: (deskId) => at(deskGroup, deskId, () => Number(deskId)),
    market: (symbol) => at(marketGroup, symbol, () => [...instruments.keys()].indexOf(symbol))
  }
})

const separator = "."
/** With 1,000 shards, trying this many numbers misses the intended shard with a probability below 1e-40. */
const maxTries = 100_000
