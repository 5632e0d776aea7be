/** Tests of a heap of entries with changing thresholds. */
import * as ThresholdHeap from "@venue/cluster/entities/desk/risk/ThresholdHeap"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"

interface Named extends ThresholdHeap.Entry {
  readonly name: number
}

const step = FastCheck.record({
  kind: FastCheck.constantFrom("set", "set", "set", "remove", "reach"),
  name: FastCheck.nat(30),
  threshold: FastCheck.nat(100)
})

test("removes exactly the entries at or below a threshold, after any inserts, moves and removals", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.array(step, { maxLength: 200, size: "max" }), (steps) => {
      const heap = ThresholdHeap.make<Named>()
      const entries = Array.from({ length: 31 }, (_, name): Named => ({ name, threshold: 0, at: -1 }))
      const plain = new Map<number, number>()
      for (const { threshold, kind, name } of steps) {
        if (kind === "set") {
          heap.set(entries[name]!, threshold)
          plain.set(name, threshold)
        } else if (kind === "remove") {
          heap.remove(entries[name]!)
          plain.delete(name)
        } else {
          const expected = [...plain].filter(([, at]) => at <= threshold).map(([found]) => found)
          for (const found of expected) plain.delete(found)
          const reached = heap.reach(threshold).map((entry) => entry.name)
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
