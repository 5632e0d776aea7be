import { expect, it } from "@effect/vitest"
import * as HashIndex from "@venue/matching/HashIndex"
import * as fc from "fast-check"

/** Numbers found for a hash. */
const found = (index: HashIndex.HashIndex, hash: number): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  let place = HashIndex.first(index, hash)
  for (; index.words[place + 1] !== 0; place = HashIndex.next(index, place)) {
    if (index.words[place] === hash) numbers.push(index.words[place + 1]!)
  }
  return numbers.sort((a, b) => a - b)
}

// Few hashes, at both ends of the table: whole runs share their first place, and some go on at the beginning.
const hash = fc.constantFrom(0, 1, 0x3ffffff, 0x4000000, -1, -2, -0x4000000, 0x7fffffff)
const step = fc.record({ hash, enters: fc.boolean(), pick: fc.nat() })

it("finds just what was entered and has not left, whatever shares its places", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = HashIndex.make()
      const held: Array<{ readonly hash: number; readonly number: number }> = []
      steps.forEach(({ enters, hash, pick }, step) => {
        if (enters || held.length === 0) {
          held.push({ hash, number: step + 1 })
          HashIndex.enter(index, hash, step + 1)
        } else {
          const [gone] = held.splice(pick % held.length, 1)
          HashIndex.leave(index, gone!.hash, gone!.number)
        }
        for (const wanted of new Set(steps.map((step) => step.hash))) {
          expect(found(index, wanted)).toEqual(
            held
              .filter(({ hash }) => hash === wanted)
              .map(({ number }) => number)
              .sort((a, b) => a - b)
          )
        }
      })
      expect(index.count).toBe(held.length)
    }),
    { numRuns: 200 }
  )
})
