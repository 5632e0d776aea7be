/** Tests of the list length that a page of a list reports. */
import * as Count from "@venue/postgres/Count"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

const counted = (page: { readonly limit: number; readonly offset: number }, found: number) => {
  let asked = false
  const count = Effect.sync(() => {
    asked = true
    return 77
  })
  return Effect.map(Count.total(page, found, count), (total) => [total, asked])
}

it.effect("counts the rows of a list unless the returned page already shows where the list ends", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* counted({ limit: 10, offset: 0 }, 3), [3, false])
    assert.deepStrictEqual(yield* counted({ limit: 10, offset: 0 }, 0), [0, false])
    assert.deepStrictEqual(yield* counted({ limit: 10, offset: 20 }, 3), [23, false])
    assert.deepStrictEqual(yield* counted({ limit: 10, offset: 20 }, 0), [77, true])
    assert.deepStrictEqual(yield* counted({ limit: 10, offset: 20 }, 10), [77, true])
    assert.deepStrictEqual(yield* counted({ limit: 1_000, offset: 99_000 }, 5), [10_000, false])
  })
)

it("counts at most 10,000 rows of a list in memory", () => {
  assert.strictEqual(Count.ofMemory(Array.from({ length: 10_001 })), 10_000)
})
