/** Tests of stream heads, in memory and on Postgres. */
import { Journal } from "@venue/journal/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../Postgres.ts"
import { own } from "./JournalNodes.ts"

for (const [name, layer] of [
  ["in memory", Journal.layerMemory],
  ["in Postgres", Journal.layer.pipe(Layer.provide(postgresLayer))]
] as const) {
  describe(name, () => {
    it.effect(
      "returns each stream's newest committed row in the requested order, and 0 for a stream without rows",
      () =>
        Effect.gen(function* () {
          const journal = yield* Journal
          const owner = yield* own(journal, "recorded")
          yield* owner.record("one")
          yield* own(journal, "claimed alone")
          assert.deepStrictEqual(yield* journal.heads(["claimed alone", "nowhere", "recorded"]), [1, 0, 2])
          assert.deepStrictEqual(yield* journal.heads([]), [])
        }).pipe(Effect.provide(layer))
    )
  })
}
