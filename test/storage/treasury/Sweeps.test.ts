import { Sweeps } from "@venue/storage/treasury/Sweeps"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../../Postgres.ts"

const attempt = (reference: string) => ({ reference, bytes: `0x02${reference}`, signedAtMillis: 1_000 })
const sweep = (sequence: number, address: string) => ({
  network: "ARBITRUM_ONE" as const,
  sequence,
  addressIndex: sequence,
  address,
  amount: 12_000_000n,
  attempts: [attempt("aa")]
})

const suite = (name: string, services: Layer.Layer<Sweeps, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("runs at most one sweep per address at a time, and uses each sweep number once", () =>
      Effect.gen(function* () {
        const sweeps = yield* Sweeps
        assert.strictEqual(yield* sweeps.lastSequence("ARBITRUM_ONE"), -1)
        assert.isTrue(yield* sweeps.begin(sweep(4, "0xA")))
        assert.isFalse(yield* sweeps.begin(sweep(4, "0xB")))
        assert.isFalse(yield* sweeps.begin(sweep(5, "0xA")))
        assert.isTrue(yield* sweeps.begin(sweep(5, "0xB")))
        assert.isTrue(yield* sweeps.begin({ ...sweep(4, "0xA"), network: "TRON" }))
        assert.strictEqual(yield* sweeps.lastSequence("ARBITRUM_ONE"), 5)

        const [first, second] = yield* sweeps.open("ARBITRUM_ONE")
        assert.deepStrictEqual(first, { ...sweep(4, "0xA"), state: "OPEN", createdAtMillis: 0 })
        assert.strictEqual(second!.sequence, 5)
        assert.isTrue(yield* sweeps.addAttempt(first!, 1, attempt("bb")))
        assert.isFalse(yield* sweeps.addAttempt(first!, 1, attempt("cc")))
        const [replaced] = yield* sweeps.open("ARBITRUM_ONE")
        assert.deepStrictEqual(replaced!.attempts, [attempt("aa"), attempt("bb")])

        assert.isTrue(yield* sweeps.end(first!, "DONE"))
        assert.isFalse(yield* sweeps.end(first!, "FAILED"))
        assert.isFalse(yield* sweeps.addAttempt(first!, 2, attempt("dd")))
        assert.deepStrictEqual(
          (yield* sweeps.open("ARBITRUM_ONE")).map(({ sequence }) => sequence),
          [5]
        )
        assert.isFalse(yield* sweeps.begin(sweep(4, "0xA")))
        assert.isTrue(yield* sweeps.begin(sweep(6, "0xA")))
      })
    )
  })

suite("sweeps in memory", Sweeps.layerMemory)
suite("sweeps on Postgres", Sweeps.layer.pipe(Layer.provide(postgresLayer)))
