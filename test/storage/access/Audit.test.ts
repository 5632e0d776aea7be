import { Audit } from "@venue/storage/access/Audit"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const suite = (name: string, services: Layer.Layer<Audit, unknown>) =>
  layer(services, { timeout: "30 seconds" })(name, (it) => {
    it.effect("what was done is told, the newest first", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const deed = {
          actor: "operator",
          subject: "amy",
          facts: { reason: "a test", left: 9, isNew: true, country: null }
        }
        yield* audit.record({ ...deed, action: "user_frozen" })
        yield* audit.record({ ...deed, action: "user_unfrozen" })
        const recorded = yield* audit.about("amy")
        assert.deepStrictEqual(
          recorded.map(({ action }) => action),
          ["user_unfrozen", "user_frozen"]
        )
        assert.deepInclude(recorded[0], deed)
      })
    )

    it.effect("I50: a fact of any text is recorded", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const texts = ["", "a\0b", "\\u0000", "half of \ud83d", "空 😀", `"'`, "x".repeat(500)]
        for (const reason of texts) {
          yield* audit.record({ action: "user_frozen", actor: "operator", subject: "ben", facts: { reason } })
        }
        assert.lengthOf(yield* audit.about("ben"), texts.length)
      })
    )
  })

suite("Audit in memory", Audit.layerMemory)
suite("Audit on Postgres", Audit.layer.pipe(Layer.provide(postgresLayer)))
