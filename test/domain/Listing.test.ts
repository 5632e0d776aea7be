/** Tests of the validation of listing terms; each term has its own error (rule 1.8). */
import { instrumentOf, initialInstruments, type Terms } from "@venue/domain/Instrument"
import * as Listing from "@venue/domain/Listing"
import { assert, describe, it } from "@effect/vitest"

const good: Terms = {
  base: "BA",
  category: "EQUITY",
  tickE8: 1_000_000,
  lotE8: 100_000,
  minQuantityLots: 100,
  maxQuantityLots: 100_000_000,
  maxLeverage: 10
}

describe("listing terms", () => {
  it("accepts the terms of every contract of a new venue", () => {
    for (const instrument of initialInstruments) {
      assert.isUndefined(Listing.flawOf(instrument))
      assert.deepStrictEqual(instrumentOf(instrument.clobPairId, instrument), instrument)
      assert.isTrue(Listing.isListedAs(instrument, instrument))
      assert.isFalse(Listing.isListedAs(instrument, good))
    }
  })

  for (const [term, value] of [
    ["base", ""],
    ["base", "ba"],
    ["base", "B-A"],
    ["base", "1BA"],
    ["base", "ABCDEFGHIJKLM"],
    ["tickE8", NaN],
    ["tickE8", 0],
    ["tickE8", 25_000_000],
    ["tickE8", 1_000_000_000],
    ["lotE8", NaN],
    ["lotE8", 300_000],
    ["lotE8", 1_000],
    ["minQuantityLots", 0],
    ["minQuantityLots", 0.5],
    ["minQuantityLots", NaN],
    ["maxQuantityLots", 99],
    ["maxQuantityLots", 2 ** 31],
    ["maxLeverage", 0],
    ["maxLeverage", 51],
    ["maxLeverage", 2.5]
  ] as const)
    it(`rejects a listing with ${term} ${value}`, () =>
      assert.strictEqual(Listing.flawOf({ ...good, [term]: value } as Terms)?.term, term))
})
