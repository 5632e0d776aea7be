/**
 * Brings new contracts into force while nodes run. A node that reads a new contract first reports it as known. Once
 * every live node knows the contract, each node adds it.
 */
import type { ListedContracts } from "@venue/domain/ListedContracts"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { Context, Effect, Schedule } from "effect"
import { Nodes } from "../nodes/Nodes.ts"
import { Listings } from "./Listings.ts"

/** Returns a predicate: whether every live node trades the contract. Without other nodes, each listed one is traded. */
export const ListingReach = Context.Reference<Effect.Effect<(symbol: MarketSymbol) => boolean, DatabaseUnavailable>>(
  "@venue/storage/listing/ListingReach",
  { defaultValue: () => Effect.succeed(() => true) }
)

/** Follows the listings of a venue with several nodes, each second until the scope closes. */
export const follow = Effect.fnUntraced(function* ({ add, instruments }: ListedContracts, nodeId: string) {
  const listings = yield* Listings
  const nodes = yield* Nodes
  let reported = ""

  const report = Effect.fnUntraced(function* (contractsKnown: number, contractsInForce: number) {
    const counts = `${contractsKnown} ${contractsInForce}`
    if (counts === reported) return
    yield* nodes.reportContracts(nodeId, { contractsKnown, contractsInForce })
    reported = counts
  })
  const step = Effect.gen(function* () {
    const later = yield* listings.all
    const inForce = () => later.filter(({ symbol }) => instruments.has(symbol)).length
    yield* report(later.length, inForce())
    if (inForce() === later.length) return
    const living = (yield* nodes.all).filter(({ isLiving }) => isLiving)
    // A node of release 0.1.0 reports nothing, so new contracts wait for its replacement.
    const known = Math.min(later.length, ...living.map(({ contractsKnown }) => contractsKnown ?? 0))
    for (const instrument of later.slice(0, known)) add(instrument)
    yield* report(later.length, inForce())
  })

  yield* step
  yield* GivenUp.afterByMachineClock("2 seconds")(step).pipe(
    Effect.catchCause((cause) =>
      DatabaseOutage.report(cause, Effect.logWarning("new contracts could not be read; retrying", cause))
    ),
    Effect.repeat(Schedule.spaced("1 second")),
    Effect.forkScoped
  )
  return Effect.gen(function* () {
    const later = yield* listings.all
    const living = (yield* nodes.all).filter(({ isLiving }) => isLiving)
    const everywhere = Math.min(later.length, ...living.flatMap(({ contractsInForce }) => contractsInForce ?? []))
    const waiting = new Set(later.slice(everywhere).map(({ symbol }) => symbol))
    return (symbol: MarketSymbol) => instruments.has(symbol) && !waiting.has(symbol)
  })
})

/** Follows the listings of a venue in one process: each contract is in force as soon as it is stored. */
export const followAlone = Effect.fnUntraced(function* ({ add, instruments }: ListedContracts) {
  const listings = yield* Listings
  yield* listings.watch(add)
  for (const instrument of yield* listings.all) add(instrument)
  return Effect.succeed((symbol: MarketSymbol) => instruments.has(symbol))
})
