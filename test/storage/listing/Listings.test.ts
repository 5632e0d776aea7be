/** Tests of listed contracts, in memory and on Postgres. */
import { initialInstruments } from "@venue/domain/Instrument"
import { Listings } from "@venue/storage/listing/Listings"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Layers from "effect/Layer"
import { postgresLayer } from "../../Postgres.ts"

const [{ clobPairId: _id, symbol: _symbol, quote: _quote, tickLotMicros: _money, ...apple }] = initialInstruments as [
  (typeof initialInstruments)[number]
]

const suite = (name: string, services: Layer.Layer<Listings, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect(
      "numbers new listings after the initial contracts, and ignores a second listing of the same base asset",
      () =>
        Effect.gen(function* () {
          const listings = yield* Listings
          assert.deepStrictEqual(yield* listings.all, [])
          yield* Effect.all(
            ["BA", "IBM", "GE"].map((base) => listings.add({ ...apple, base })),
            { concurrency: "unbounded" }
          )
          yield* listings.add({ ...apple, base: "BA", maxLeverage: 3 })
          const all = yield* listings.all
          assert.deepStrictEqual(
            all.map(({ clobPairId }) => clobPairId),
            [1_001, 1_002, 1_003]
          )
          assert.sameMembers(
            all.map(({ symbol }) => symbol as string),
            ["BA-USD", "IBM-USD", "GE-USD"]
          )
          const { base, clobPairId, symbol, ...same } = all.find((each) => each.base === "BA")!
          assert.deepStrictEqual(
            { ...initialInstruments[0]!, base, clobPairId, symbol },
            { ...same, base, clobPairId, symbol }
          )
        })
    )
  })

suite("listings in memory", Listings.layerMemory)
suite("listings on Postgres", Layers.provide(Listings.layer, postgresLayer))
