import { Ids } from "@venue/cluster/clients/Ids"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

it.effect("generates unique version 4 UUIDs", () =>
  Effect.gen(function* () {
    const ids = yield* Ids
    // More ids than one batch of random bytes contains.
    const texts = Array.from({ length: 10_000 }, () => ids.next().text)
    assert.strictEqual(new Set(texts).size, texts.length)
    for (const text of texts)
      assert.match(text, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
)
