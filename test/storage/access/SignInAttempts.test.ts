import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { digestOf } from "@venue/postgres/SecretHash"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { dump, postgresLayer } from "../../Postgres.ts"

const signIn = { signIns: 1, failures: 0 }
const failure = { signIns: 0, failures: 1 }

const slotOf = (network: string) => digestOf(network).readUInt16BE()

/** Two networks whose hashes map to the same slot. */
const [first, second] = ((): [string, string] => {
  const seen = new Map<number, string>()
  for (let at = 0; ; at++) {
    const network = `198.51.100.${at}`
    const before = seen.get(slotOf(network))
    if (before !== undefined) return [before, network]
    seen.set(slotOf(network), network)
  }
})()

const suite = (name: string, services: Layer.Layer<SignInAttempts, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("sums a network's sign-ins and failures, even under concurrent updates", () =>
      Effect.gen(function* () {
        const { count } = yield* SignInAttempts
        const both = Array.from({ length: 10 }, () => [count("a", signIn), count("a", failure)]).flat()
        yield* Effect.all(both, { concurrency: "unbounded" })
        assert.deepInclude(yield* count("a", signIn), { signIns: 11, failures: 10 })
        assert.deepInclude(yield* count("b", failure), { signIns: 0, failures: 1 })
      })
    )

    it.effect("restarts a network's counts exactly fifteen minutes after its first attempt", () =>
      Effect.gen(function* () {
        const { count } = yield* SignInAttempts
        yield* count("c", failure)
        yield* TestClock.adjust(15 * 60 * 1_000 - 1)
        assert.deepInclude(yield* count("c", signIn), { signIns: 1, failures: 1 })
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* count("c", signIn), { signIns: 1, failures: 0 })
      })
    )

    it.effect("if two networks share a slot, an attempt from one network discards the other network's counts", () =>
      Effect.gen(function* () {
        const { count } = yield* SignInAttempts
        yield* count(first, failure)
        assert.deepInclude(yield* count(second, signIn), { signIns: 1, failures: 0 })
        assert.deepInclude(yield* count(first, signIn), { signIns: 1, failures: 0 })
      })
    )
  })

suite("SignInAttempts in memory", SignInAttempts.layerMemory)
suite("SignInAttempts on Postgres", Layer.provide(SignInAttempts.layer, postgresLayer))

it.effect("deletes expired sign-in counts within one minute, and stores no IP address in plain text", () =>
  Effect.gen(function* () {
    const { count } = yield* SignInAttempts
    const sql = yield* SqlClient.SqlClient
    yield* count("203.0.113.7", failure)
    yield* TestClock.adjust("10 minutes")
    yield* count("203.0.113.8", failure)
    assert.notMatch(yield* dump, /203\.0\.113/)
    yield* TestClock.adjust("6 minutes")
    const left = sql<{ readonly slot: number }>`select slot from sign_in_attempt`
    yield* Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), left), { until: (rows) => rows.length === 1 })
    assert.strictEqual((yield* left)[0]!.slot, slotOf("203.0.113.8"))
  }).pipe(Effect.provide(SignInAttempts.layer.pipe(Layer.provideMerge(postgresLayer))))
)
