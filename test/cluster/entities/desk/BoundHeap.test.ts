/** Entries by a bound that may change. */
import * as BoundHeap from "@venue/cluster/entities/desk/BoundHeap"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"

interface Named extends BoundHeap.Entry {
  readonly name: number
}

const step = FastCheck.record({
  kind: FastCheck.constantFrom("set", "set", "set", "remove", "reach"),
  name: FastCheck.nat(30),
  bound: FastCheck.nat(100)
})

test("whatever is put in, moved and removed, exactly those at a bound or below it are taken out", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const heap = BoundHeap.make<Named>()
      const entries = Array.from({ length: 31 }, (_, name): Named => ({ name, bound: 0, at: -1 }))
      const plain = new Map<number, number>()
      for (const { bound, kind, name } of steps) {
        if (kind === "set") {
          heap.set(entries[name]!, bound)
          plain.set(name, bound)
        } else if (kind === "remove") {
          heap.remove(entries[name]!)
          plain.delete(name)
        } else {
          const expected = [...plain].filter(([, at]) => at <= bound).map(([found]) => found)
          for (const found of expected) plain.delete(found)
          const reached = heap.reach(bound).map((entry) => entry.name)
          assert.deepEqual(
            [...reached].sort((a, b) => a - b),
            expected.sort((a, b) => a - b)
          )
        }
      }
      assert.lengthOf(heap.reach(100), plain.size)
    }),
    { numRuns: 300 }
  )
})
