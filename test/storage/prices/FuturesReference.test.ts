/** Settlements and holidays, in memory and on Postgres. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const us500 = MarketSymbol.make("US500-USD")
const us100 = MarketSymbol.make("US100-USD")

const suite = (name: string, services: Layer.Layer<FuturesReference, unknown>) =>
  layer(services, { timeout: "30 seconds" })(name, (it) => {
    it.effect("the newest day of each symbol is the one that counts, and what is recorded again replaces it", () =>
      Effect.gen(function* () {
        const reference = yield* FuturesReference
        assert.deepStrictEqual(yield* reference.latest, [])
        const of = (symbol: MarketSymbol, day: string, officialCloseE8: number) => ({
          symbol,
          day,
          officialCloseE8,
          settlementE8: 2_108_000_000_000
        })
        yield* reference.record(of(us500, "2026-11-20", 1))
        yield* reference.record(of(us100, "2026-11-20", 2))
        yield* reference.record(of(us100, "2026-11-19", 3))
        yield* reference.record(of(us500, "2026-11-20", 4))
        const latest = yield* reference.latest
        assert.deepStrictEqual(latest, [
          { ...of(us100, "2026-11-20", 2), recordedAtMillis: 0 },
          { ...of(us500, "2026-11-20", 4), recordedAtMillis: 0 }
        ])
      })
    )

    it.effect("the holidays of a year are replaced, and those of others stay", () =>
      Effect.gen(function* () {
        const reference = yield* FuturesReference
        yield* reference.setHolidays("2026", ["2026-12-25", "2026-11-26", "2026-11-26"])
        yield* reference.setHolidays("2027", ["2027-01-01"])
        assert.deepStrictEqual(yield* reference.holidays, ["2026-11-26", "2026-12-25", "2027-01-01"])
        yield* reference.setHolidays("2026", ["2026-12-25"])
        assert.deepStrictEqual(yield* reference.holidays, ["2026-12-25", "2027-01-01"])
        yield* reference.setHolidays("2026", [])
        assert.deepStrictEqual(yield* reference.holidays, ["2027-01-01"])
      })
    )
  })

suite("the futures reference in memory", FuturesReference.layerMemory)
suite("the futures reference on Postgres", Layer.provide(FuturesReference.layer, postgresLayer))
