/** Compares lookups in the indexes of remembered commands and of open orders with a plain Map. */
import { type Id, series, version4 } from "@venue/domain/Id"
import { describe, expect, it } from "@effect/vitest"
import { orderIdFrom } from "@venue/domain/OrderId"
import * as CommandIndex from "@venue/matching/book/CommandIndex"
import { mix } from "@venue/domain/BitMix"
import * as OrderPool from "@venue/matching/book/OrderPool"
import * as fc from "fast-check"

/** An index that maps an id to its own number (a bucket or a slot). */
interface Found {
  readonly enter: (id: Id) => void
  readonly leave: (id: Id) => void
  readonly find: (id: Id) => boolean
  readonly isEmpty: () => boolean
}

const commandIndex = (ids: ReadonlyArray<Id>): Found => {
  const made = CommandIndex.make()
  const numbers = new Map(ids.map((id, place) => [id, place + 1]))
  const find = (id: Id): boolean => {
    for (let bucket = CommandIndex.first(made, id); bucket !== 0; bucket = CommandIndex.next(made, bucket)) {
      if (CommandIndex.at(made, bucket, id) === numbers.get(id)) return true
    }
    return false
  }
  return {
    enter: (id) => CommandIndex.enter(made, id, numbers.get(id)!),
    leave: (id) => CommandIndex.leave(made, id, numbers.get(id)!),
    find,
    isEmpty: () => made.count === 0 && made.heads.every((head) => head === 0)
  }
}

const pool = (): Found => {
  const made = OrderPool.make()
  return {
    enter: (id) => void OrderPool.take(made, orderIdFrom(id), id.text),
    leave: (id) => OrderPool.release(made, OrderPool.find(made, id)),
    find: (id) => {
      const slot = OrderPool.find(made, id)
      if (slot === 0) return false
      expect([OrderPool.orderId(made, slot).text, OrderPool.clientOrderId(made, slot)]).toEqual([id.text, id.text])
      return true
    },
    isEmpty: () => made.count === 0 && made.heads.every((head) => head === 0)
  }
}

const kinds: Record<string, (ids: ReadonlyArray<Id>) => Found> = { commandIndex, pool }

// Draws from few halves and last digits, so that many ids share both.
const id = fc
  .tuple(fc.constantFrom(0, 1, -1, 0x7fffffff), fc.constantFrom(0, -1), fc.integer(), fc.constantFrom(0, 1, 15, 16))
  .map(([a, b, c, d]) => version4(a, b, c, d))
const steps = fc.record({
  ids: fc.uniqueArray(id, { minLength: 1, maxLength: 40, selector: ({ text }) => text }),
  turns: fc.array(fc.nat(), { maxLength: 200 })
})

/** Returns a function that yields distinct words, equal on every machine. */
const draws = (): (() => number) => {
  let count = 0
  return () => mix(count++)
}

const makeIds = (count: number, next: () => Id): ReadonlyArray<Id> => Array.from({ length: count }, next)

const draw = draws()
const manyIds: Record<string, ReadonlyArray<Id>> = {
  "generated in series, as at the gateway": makeIds(2_000, series(draw)),
  "that have nothing in common": makeIds(2_000, () => version4(draw(), draw(), draw(), draw())),
  "that all share their first half": makeIds(300, () => version4(1, 2, draw(), draw())),
  "that are zero except for one word": makeIds(300, () => version4(0, 0, draw(), 0)),
  "that all share their last digit": makeIds(1_000, () => version4(draw(), draw(), draw(), draw() | 15)),
  "that share their first half and last digit": makeIds(300, () => version4(1, 2, draw(), draw() | 15))
}

/** Order in which ids are removed. */
const orders: Record<string, (ids: ReadonlyArray<Id>) => ReadonlyArray<Id>> = {
  "oldest first": (ids) => ids,
  "newest first": (ids) => ids.toReversed(),
  "in random order": (ids) => ids.toSorted((one, other) => mix(one.c) - mix(other.c))
}

describe.each(Object.entries(kinds))("%s", (_, make) => {
  it("finds exactly the ids that were added and not removed, even if several ids share a bucket", () => {
    fc.assert(
      fc.property(steps, ({ ids, turns }) => {
        const found = make(ids)
        const held = new Set<Id>()
        for (const turn of turns) {
          const id = ids[turn % ids.length]!
          if (held.delete(id)) found.leave(id)
          else {
            held.add(id)
            found.enter(id)
          }
          expect(ids.filter((id) => found.find(id))).toEqual(ids.filter((id) => held.has(id)))
        }
        for (const id of held) found.leave(id)
        expect(found.isEmpty()).toBe(true)
      }),
      { numRuns: 300 }
    )
  })

  describe.each(Object.entries(manyIds))("ids %s", (_, ids) => {
    it.each(Object.entries(orders))(
      "look-ups find exactly the present ids while ids are added and removed %s",
      (_, ordered) => {
        const found = make(ids)
        const held = new Set<Id>()
        const step = (turn: (id: Id) => void, turned: ReadonlyArray<Id>) =>
          turned.forEach((id, place) => {
            turn(id)
            if (place % Math.ceil(turned.length / 8) !== 0 && place !== turned.length - 1) return
            expect(ids.filter((id) => found.find(id) !== held.has(id))).toEqual([])
          })
        const enter = (id: Id) => {
          found.enter(id)
          held.add(id)
        }
        const leave = (id: Id) => {
          found.leave(id)
          held.delete(id)
        }

        step(enter, ids)
        const leaving = ordered(ids)
        const first = leaving.slice(0, leaving.length >> 1)
        step(leave, first)
        step(enter, first)
        step(leave, leaving)
        expect(found.isEmpty()).toBe(true)
      }
    )
  })
})

it("each run of 16 ids generated in series shares one bucket, in which every id has its own slot", () => {
  const made = CommandIndex.make()
  const ids = makeIds(2_000, series(draws()))
  ids.forEach((id, place) => CommandIndex.enter(made, id, place + 1))
  expect(made.count).toBe(2_000 / 16)
  expect(ids.map((id) => CommandIndex.first(made, id))).toEqual(
    ids.map((_, place) => CommandIndex.first(made, ids[place - (place % 16)]!))
  )
})

it("orders whose ids are generated in series get adjacent entries in the hash table", () => {
  const made = OrderPool.make()
  const ids = makeIds(16, series(draws()))
  ids.forEach((id) => OrderPool.take(made, orderIdFrom(id), ""))
  const heads = ids.map((id) => made.heads.indexOf(OrderPool.find(made, id)))
  expect(heads[0]! % 16).toBe(0)
  expect(heads).toEqual(ids.map((_, place) => heads[0]! + place))
})
