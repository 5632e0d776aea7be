import { Nonces } from "@venue/storage/access/Nonces"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

/** Two nodes on one database, or the one process that memory stands for. */
class Nodes extends Context.Service<
  Nodes,
  {
    readonly a: Nonces["Service"]
    readonly b: Nonces["Service"]
  }
>()("test/storage/NonceNodes") {}

const build = Effect.map(Layer.build(Layer.fresh(Nonces.layer)), (services) => Context.get(services, Nonces))
const twoNodes = Layer.effect(
  Nodes,
  Effect.map(Effect.all([build, build], { concurrency: 2 }), ([a, b]) => Nodes.of({ a, b }))
)
const oneNode = Layer.effect(
  Nodes,
  Effect.map(Nonces, (nonces) => Nodes.of({ a: nonces, b: nonces }))
)

const suite = <E>(place: string, nodes: Layer.Layer<Nodes, E>) =>
  describe(`nonces in ${place}`, () => {
    layer(nodes)((it) => {
      it.effect("I36: a nonce is accepted once over all nodes, whatever the case of its letters", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          yield* a.claim("key", "ab12")
          const refused = yield* Effect.flip(b.claim("key", "AB12"))
          assert.strictEqual(refused._tag, "NonceReused")
          assert.strictEqual((yield* Effect.flip(a.claim("key", "ab12")))._tag, "NonceReused")
        })
      )

      it.effect("I36: another key may use the same nonce", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          yield* a.claim("one key", "cd34")
          yield* b.claim("another key", "cd34")
        })
      )

      it.effect("I36: of many that ask at once on both nodes exactly one is accepted", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const claim = (n: number) => (n % 2 === 0 ? a : b).claim("key", n < 20 ? "ef56" : "EF56")
          const asked = Array.from({ length: 40 }, (_, n) => claim(n))
          const outcomes = yield* Effect.all(asked.map(Effect.result), { concurrency: "unbounded" })
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
        })
      )

      it.effect("more nonces than one statement takes are each answered, asked of both nodes in opposite order", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const nonces = Array.from({ length: 2_500 }, (_, n) => `many ${n}`)
          const outcomes = yield* Effect.all(
            [
              ...nonces.map((nonce) => Effect.result(a.claim("key", nonce))),
              ...nonces.toReversed().map((nonce) => Effect.result(b.claim("key", nonce)))
            ],
            { concurrency: "unbounded" }
          )
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 2_500)
          assert.isTrue(outcomes.filter(Result.isFailure).every(({ failure }) => failure._tag === "NonceReused"))
        })
      )
    })
  })

suite("memory", oneNode.pipe(Layer.provide(Nonces.layerMemory)))
suite("Postgres", twoNodes.pipe(Layer.provide(postgresLayer)))

it.effect("in memory a nonce is free again after fifteen minutes, and not before", () =>
  Effect.gen(function* () {
    const nonces = yield* Nonces
    yield* nonces.claim("key", "ab12")
    yield* TestClock.adjust("14 minutes")
    assert.strictEqual((yield* Effect.flip(nonces.claim("key", "AB12")))._tag, "NonceReused")
    yield* TestClock.adjust("1 minute")
    yield* nonces.claim("key", "ab12")
  }).pipe(Effect.provide(Nonces.layerMemory))
)

describe("the nonce table", () => {
  layer(Nonces.layer.pipe(Layer.provideMerge(postgresLayer)))((it) => {
    it.effect("I48: is pruned each minute of what is older than twenty", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        yield* nonces.claim("key", "young")
        yield* sql`insert into nonce (public_key, nonce, claimed_at)
          select 'key', n::text, clock_timestamp() - interval '21 minutes' from generate_series(1, 12000) n`
        yield* TestClock.adjust("1 minute")
        const count = sql<{ count: bigint }>`select count(*) as count from nonce`
        for (let asked = 0; asked < 5_000 && (yield* count)[0]!.count > 1n; asked++);
        assert.deepStrictEqual(yield* sql`select nonce from nonce`, [{ nonce: "young" }])
      })
    )

    it.effect("a database that refuses is an error of its own, and the next claim asks it again", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        yield* sql`alter table nonce rename to elsewhere`
        assert.strictEqual((yield* Effect.flip(nonces.claim("key", "late")))._tag, "DatabaseUnavailable")
        yield* sql`alter table elsewhere rename to nonce`
        yield* nonces.claim("key", "late")
      })
    )
  })
})
