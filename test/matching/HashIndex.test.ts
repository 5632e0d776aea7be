/** Records found by the hashes of their ids, beside plain collections that find the same. */
import { type Id, series, version4 } from "@venue/domain/Id"
import { describe, expect, it } from "@effect/vitest"
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

/** Different words, the same ones on every machine. */
const draws = (): (() => number) => {
  let count = 0
  return () => HashIndex.mix(count++)
}

const makeIds = (count: number, next: () => Id): ReadonlyArray<Id> => Array.from({ length: count }, next)

/** A first half whose row is the last one of tables of up to 256 rows. */
const lastHalf = (draw: () => number): readonly [a: number, b: number] => {
  for (;;) {
    const { a, b } = version4(draw(), draw(), 0, 0)
    if (HashIndex.hashOf(a, b, 0) >>> 24 === 0xff) return [a, b]
  }
}

const draw = draws()
const drawn = series(draw)
const half = lastHalf(draw)
const manyIds: Record<string, ReadonlyArray<Id>> = {
  "in series, as the edge draws them": makeIds(2_000, drawn),
  "that have nothing in common": makeIds(2_000, () => version4(draw(), draw(), draw(), draw())),
  "that all share one row": makeIds(300, () => version4(1, 2, draw(), draw())),
  "that all share the last row, and go on in the first": makeIds(300, () => version4(...half, draw(), draw())),
  "of many rows at the end, that go on in the first": makeIds(300, () => version4(...lastHalf(draw), draw(), draw())),
  "that all share one place of their rows": makeIds(1_000, () => version4(draw(), draw(), draw(), draw() | 15)),
  "that all share one hash": makeIds(300, () => version4(1, 2, draw(), draw() | 15))
}

/** What may leave first: the oldest, the newest, any. */
const orders: Record<string, (ids: ReadonlyArray<Id>) => ReadonlyArray<Id>> = {
  "oldest first": (ids) => ids,
  "newest first": (ids) => ids.toReversed(),
  "in no order": (ids) => ids.toSorted((one, other) => HashIndex.mix(one.c) - HashIndex.mix(other.c))
}

describe.each(Object.entries(manyIds))("of ids %s", (_, ids) => {
  it.each(Object.entries(orders))("finds all that are there and no other, as they come and leave, %s", (_, ordered) => {
    const index = HashIndex.make()
    const twin = new Map(ids.map((id) => [HashIndex.hash(id), new Set<number>()]))
    const numbers = new Map(ids.map((id, place) => [id, place + 1]))
    const enter = (id: Id) => {
      HashIndex.enter(index, HashIndex.hash(id), numbers.get(id)!)
      twin.get(HashIndex.hash(id))!.add(numbers.get(id)!)
    }
    const leave = (id: Id) => {
      HashIndex.leave(index, HashIndex.hash(id), numbers.get(id)!)
      twin.get(HashIndex.hash(id))!.delete(numbers.get(id)!)
    }
    const step = (turn: (id: Id) => void, turned: ReadonlyArray<Id>) =>
      turned.forEach((id, place) => {
        turn(id)
        if (place % Math.ceil(turned.length / 8) !== 0 && place !== turned.length - 1) return
        const wrong = [...twin].filter(
          ([hash, held]) => `${found(index, hash)}` !== `${[...held].sort((a, b) => a - b)}`
        )
        expect(wrong).toEqual([])
      })

    step(enter, ids)
    expect(index.count).toBe(ids.length)
    const leaving = ordered(ids)
    const first = leaving.slice(0, leaving.length >> 1)
    step(leave, first)
    step(enter, first)
    step(leave, leaving)
    expect(index.count).toBe(0)
    expect(index.words.every((word, place) => place % 2 === 0 || word === 0)).toBe(true)
  })
})

it("gives ids drawn together one row, each a place of its own there, and spreads rows over the whole table", () => {
  const index = HashIndex.make()
  const ids = makeIds(2_000, series(draws()))
  ids.forEach((id, place) => HashIndex.enter(index, HashIndex.hash(id), place + 1))
  const firsts = ids.map((id) => HashIndex.first(index, HashIndex.hash(id)))
  const rows = firsts.map((first) => first >> 5)
  expect(firsts.map((first) => (first & 31) / 2)).toEqual(ids.map((_, place) => place % 16))
  expect(rows).toEqual(ids.map((_, place) => rows[place - (place % 16)]))
  expect(Math.max(...rows)).toBeGreaterThan((index.words.length >> 5) * 0.9)
})
