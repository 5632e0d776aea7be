/** Contracts that come into force while nodes run. */
import { initialInstruments, type Instrument, type Terms } from "@venue/domain/Instrument"
import * as ListedContracts from "@venue/domain/ListedContracts"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Listings } from "@venue/storage/listing/Listings"
import * as LiveListings from "@venue/storage/listing/LiveListings"
import { Nodes } from "@venue/storage/nodes/Nodes"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const [apple] = initialInstruments as unknown as readonly [Instrument]
const termsOf = (base: string): Terms => ({
  base,
  category: apple.category,
  tickE8: apple.tickE8,
  lotE8: apple.lotE8,
  minQuantityLots: apple.minQuantityLots,
  maxQuantityLots: apple.maxQuantityLots,
  maxLeverage: apple.maxLeverage
})
const boeing = MarketSymbol.make("BA-USD")

const join = Effect.fnUntraced(function* (name: string) {
  yield* (yield* Nodes).join({ nodeId: name, name, kind: "runner", address: "", release: "", settings: {} })
})

/** Joins a node that follows the listings. `added` completes with the first contract that the node adds. */
const follower = Effect.fnUntraced(function* (name: string) {
  const contracts = ListedContracts.make(initialInstruments)
  const added = yield* Deferred.make<MarketSymbol>()
  contracts.watch(({ symbol }) => void Deferred.doneUnsafe(added, Effect.succeed(symbol)))
  yield* join(name)
  const reach = yield* LiveListings.follow(contracts, name)
  const renew = Effect.flatMap(Nodes, (nodes) => nodes.renew(name, { isReady: true, shards: 0 }))
  yield* Effect.forkScoped(Effect.repeat(Effect.delay(renew, "1 second"), { until: () => false }))
  return { contracts, added: Deferred.await(added), reach }
})

for (const [name, services] of [
  ["Postgres", Layer.merge(Nodes.layer, Listings.layer).pipe(Layer.provide(postgresLayer))],
  ["memory", Layer.merge(Nodes.layerMemory, Listings.layerMemory)]
] as const) {
  it.live(`${name}: two nodes add a contract that either has listed, and then it is in force`, () =>
    Effect.gen(function* () {
      const [first, second] = [yield* follower("runner-1"), yield* follower("runner-2")]
      yield* (yield* Listings).add(termsOf("BA"))
      assert.deepStrictEqual([yield* first.added, yield* second.added], [boeing, boeing])
      yield* Effect.repeat(first.reach, { until: (isInForce) => isInForce(boeing) })
      assert.isTrue((yield* second.reach)(apple.symbol))
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.live(`${name}: a contract waits for a node of release 0.1.0, which reports no contracts`, () =>
    Effect.gen(function* () {
      const nodes = yield* Nodes
      yield* join("runner-old")
      const node = yield* follower("runner-1")
      yield* (yield* Listings).add(termsOf("BA"))
      yield* Effect.repeat(nodes.all, {
        until: (rows) => rows.some(({ contractsKnown }) => contractsKnown === 1)
      })
      assert.isFalse(node.contracts.instruments.has(boeing))
      assert.isFalse((yield* node.reach)(boeing))
      yield* nodes.leave("runner-old")
      assert.strictEqual(yield* node.added, boeing)
    }).pipe(Effect.scoped, Effect.provide(services))
  )
}

it.live("a node that joins later adds every contract before it serves", () =>
  Effect.gen(function* () {
    const first = yield* follower("runner-1")
    yield* (yield* Listings).add(termsOf("BA"))
    yield* first.added
    const second = yield* follower("runner-2")
    assert.isTrue(second.contracts.instruments.has(boeing))
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(Nodes.layerMemory, Listings.layerMemory)))
)
