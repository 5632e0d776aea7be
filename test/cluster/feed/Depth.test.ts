/** Tests of a book's levels, compared with a sorted map. */
import * as Depth from "@venue/cluster/feed/Depth"
import type { Level } from "@venue/domain/Market"
import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const sides = ["BUY", "SELL"] as const

const sorted = (levels: ReadonlyMap<string, Level>, side: Level["side"]) =>
  [...levels.values()]
    .filter((level) => level.side === side)
    .map(({ priceTicks, quantityLots }) => ({ priceTicks, quantityLots }))
    .sort((a, b) => (side === "BUY" ? b.priceTicks - a.priceTicks : a.priceTicks - b.priceTicks))

const level: fc.Arbitrary<Level> = fc.record({
  side: fc.constantFrom(...sides),
  priceTicks: fc.integer({ min: 1, max: 40 }),
  quantityLots: fc.nat({ max: 3 })
})

it("keeps each side sorted with the best price first, after changes and resets", () => {
  const steps = fc.array(fc.record({ isReset: fc.boolean(), levels: fc.array(level, { maxLength: 12 }) }), {
    maxLength: 12
  })
  fc.assert(
    fc.property(steps, (all) => {
      const depth = Depth.make()
      const twin = new Map<string, Level>()
      for (const { isReset, levels } of all) {
        if (isReset) {
          depth.reset(levels)
          twin.clear()
        } else depth.update(levels)
        for (const one of levels) {
          const key = `${one.side} ${one.priceTicks}`
          if (one.quantityLots === 0) twin.delete(key)
          else twin.set(key, one)
        }
        for (const side of sides) {
          expect([...depth.levels(side)]).toEqual(sorted(twin, side))
          expect(depth.best(side)).toEqual(sorted(twin, side)[0])
        }
      }
    })
  )
})
