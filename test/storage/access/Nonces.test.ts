import { Nonces } from "@venue/storage/access/Nonces"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

/** Two nodes on one database, or a venue's single process in memory. */
class Nodes extends Context.Service<
  Nodes,
  {
    readonly a: Nonces["Service"]
    readonly b: Nonces["Service"]
  }
>()("test/storage/NonceNodes") {}

/** Inserts a key, because the database accepts nonces only for existing keys. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into venue_user (user_id, name, created_at) values ('user', '', now())`
  yield* sql`insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, created_at)
    select name, 'user', '', '', '{}', 'user', now() from unnest(array['key', 'one key', 'another key', 'gone']) name`
})

const build = Effect.map(Layer.build(Layer.fresh(Nonces.layer)), (services) => Context.get(services, Nonces))
const twoNodes = Layer.effect(
  Nodes,
  Effect.map(Effect.tap(Effect.all([build, build], { concurrency: 2 }), known), ([a, b]) => Nodes.of({ a, b }))
)
const oneNode = Layer.effect(
  Nodes,
  Effect.map(Nonces, (nonces) => Nodes.of({ a: nonces, b: nonces }))
)

const suite = <E>(place: string, nodes: Layer.Layer<Nodes, E>) =>
  describe(`nonces in ${place}`, () => {
    layer(nodes)((it) => {
      it.effect("I36: accepts a nonce once over all nodes, regardless of letter case", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          yield* a.claim("key", "ab12", 0)
          const refused = yield* Effect.flip(b.claim("key", "AB12", 0))
          assert.strictEqual(refused._tag, "NonceReused")
          assert.strictEqual((yield* Effect.flip(a.claim("key", "ab12", 0)))._tag, "NonceReused")
        })
      )

      it.effect("I36: accepts the same nonce for another key", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          yield* a.claim("one key", "cd34", 0)
          yield* b.claim("another key", "cd34", 0)
        })
      )

      it.effect("I36: accepts exactly one of many concurrent claims of a nonce across two nodes", () =>
        Effect.gen(function* () {
          const { a, b } = yield* Nodes
          const claim = (n: number) => (n % 2 === 0 ? a : b).claim("key", n < 20 ? "ef56" : "EF56", 0)
          const claims = Array.from({ length: 40 }, (_, n) => claim(n))
          const outcomes = yield* Effect.all(claims.map(Effect.result), { concurrency: "unbounded" })
          assert.strictEqual(outcomes.filter(Result.isSuccess).length, 1)
        })
      )

      it.effect(
        "responds to every nonce claim even if two nodes claim thousands of the same nonces in opposite order",
        () =>
          Effect.gen(function* () {
            const { a, b } = yield* Nodes
            const nonces = Array.from({ length: 2_500 }, (_, n) => `many ${n}`)
            const outcomes = yield* Effect.all(
              [
                ...nonces.map((nonce) => Effect.result(a.claim("key", nonce, 0))),
                ...nonces.toReversed().map((nonce) => Effect.result(b.claim("key", nonce, 0)))
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

it.effect("frees a nonce in memory after exactly fifteen minutes", () =>
  Effect.gen(function* () {
    const nonces = yield* Nonces
    yield* nonces.claim("key", "ab12", 0)
    yield* TestClock.adjust("14 minutes")
    assert.strictEqual((yield* Effect.flip(nonces.claim("key", "AB12", 0)))._tag, "NonceReused")
    yield* TestClock.adjust("1 minute")
    yield* nonces.claim("key", "ab12", 0)
  }).pipe(Effect.provide(Nonces.layerMemory))
)

describe("the nonce table", () => {
  const withKeys = Layer.effectDiscard(known).pipe(Layer.provideMerge(Nonces.layer), Layer.provideMerge(postgresLayer))
  layer(withKeys)((it) => {
    it.effect("I48: every minute, deletes the nonces that are older than twenty minutes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        yield* nonces.claim("key", "young", 0)
        yield* sql`insert into nonce (public_key, nonce, claimed_at)
          select 'key', n::text, clock_timestamp() - interval '21 minutes' from generate_series(1, 12000) n`
        yield* TestClock.adjust("1 minute")
        const count = sql<{ count: bigint }>`select count(*) as count from nonce`
        for (let turns = 0; turns < 5_000 && (yield* count)[0]!.count > 1n; turns++);
        assert.deepStrictEqual(yield* sql`select nonce from nonce`, [{ nonce: "young" }])
      })
    )

    it.effect("I40: rejects a revoked key's nonce, even if the caller has the key cached", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        yield* nonces.claim("gone", "a1", 0)
        yield* sql`update api_key set revoked_at = now() where public_key = 'gone'`
        assert.strictEqual((yield* Effect.flip(nonces.claim("gone", "a2", 0)))._tag, "KeyRevoked")
        // A replaced builder key's row no longer exists.
        yield* sql`delete from api_key where public_key = 'gone'`
        assert.strictEqual((yield* Effect.flip(nonces.claim("gone", "a3", 0)))._tag, "KeyRevoked")
        yield* sql`delete from nonce`
      })
    )

    it.effect("fails a nonce claim after three seconds without a response, without delaying other claims", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        const inDoubt = yield* sql.reserve
        yield* inDoubt.executeUnprepared("begin", [], undefined)
        yield* inDoubt.execute("insert into nonce (public_key, nonce) values ('key', 'held')", [], undefined)
        const hanging = yield* Effect.forkChild(Effect.flip(nonces.claim("key", "held", 0)))
        const waiting = sql`select from pg_locks where not granted`
        for (let turns = 0; turns < 5_000 && (yield* waiting).length === 0; turns++);
        const next = yield* Effect.forkChild(nonces.claim("key", "next", 0))
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* Fiber.join(hanging))._tag, "DatabaseUnavailable")
        yield* Fiber.join(next)
        yield* inDoubt.executeUnprepared("rollback", [], undefined)
      })
    )

    it.effect("returns Unavailable on a database error, and uses the database again for the next nonce claim", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const nonces = yield* Nonces
        yield* sql`alter table nonce rename to elsewhere`
        assert.strictEqual((yield* Effect.flip(nonces.claim("key", "late", 0)))._tag, "DatabaseUnavailable")
        yield* sql`alter table elsewhere rename to nonce`
        yield* nonces.claim("key", "late", 0)
      })
    )
  })
})
