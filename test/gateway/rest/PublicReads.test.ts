/** Tests of the limits on public reads: two concurrent queries over all endpoints, each with a time limit. */
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { maxCount } from "@venue/postgres/Count"
import { deepPageWeight } from "@venue/gateway/http/RequestWeight"
import { maxPublicQueries, PublicReads } from "@venue/gateway/rest/PublicReads"
import type { ReadQuery } from "@venue/storage/history/ReadTable"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

const query: ReadQuery<number> = { sql: () => Effect.succeed(7), memory: () => 7 }

/** Tables whose queries take 1 s, are cancelled by the database, or never finish. They count concurrent queries. */
const tables = (answer: "slow" | "ended" | "never") => {
  const seen = { running: 0, most: 0 }
  const work = {
    slow: Effect.as(Effect.sleep("1 second"), Option.some(7)),
    ended: Effect.succeedNone,
    never: Effect.never
  }
  const counted = Effect.acquireUseRelease(
    Effect.sync(() => {
      seen.running++
      seen.most = Math.max(seen.most, seen.running)
    }),
    () => work[answer],
    () => Effect.sync(() => seen.running--)
  )
  // The service sets a time limit on each query, so the result is optional.
  const layer = Layer.mock(ReadTables)({ read: <A>() => counted as Effect.Effect<A> })
  return { seen, counted, layer: Layer.provide(PublicReads.layer, layer) }
}

it.effect("runs at most two public queries concurrently", () => {
  const { counted, layer, seen } = tables("slow")
  return Effect.gen(function* () {
    const { read, within } = yield* PublicReads
    const reads = Effect.all([read(query), read(query), within(Effect.asVoid(counted)), read(query)], {
      concurrency: "unbounded"
    })
    const fiber = yield* Effect.forkChild(reads)
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* Fiber.join(fiber), [7, 7, undefined, 7])
    assert.deepStrictEqual([seen.most, maxPublicQueries], [2, 2])
  }).pipe(Effect.provide(layer))
})

it.effect("fails if the database cancels a public query, and returns 10,000 for a cancelled count", () =>
  Effect.gen(function* () {
    const { count, read } = yield* PublicReads
    assert.instanceOf(yield* Effect.flip(read(query)), DatabaseUnavailable)
    assert.strictEqual(yield* count(query), maxCount)
  }).pipe(Effect.provide(tables("ended").layer))
)

it.effect("fails a public query that has no result after 4 s, or that still waits for a permit", () =>
  Effect.gen(function* () {
    const { read } = yield* PublicReads
    const fiber = yield* Effect.forkChild(Effect.forEach([1, 2, 3], () => Effect.flip(read(query)), { concurrency: 3 }))
    yield* TestClock.adjust("4 seconds")
    assert.lengthOf(yield* Fiber.join(fiber), 3)
  }).pipe(Effect.provide(tables("never").layer))
)

it("charges deep pages a weight of 1 per 1,000 rows, but at least the endpoint's own weight and at most 600", () => {
  const more = (rows: number) => deepPageWeight("GET /public/trades", rows)
  assert.deepStrictEqual([more(5_000), more(5_001), more(154_000), more(10_000_000)], [0, 1, 149, 595])
})
