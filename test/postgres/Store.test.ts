import { bytea, integer, orNull, text, timestamptz } from "@venue/postgres/Column"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../Postgres.ts"

const table = Table.make("store_test", {
  owner: text,
  hash: bytea,
  count: integer,
  endedAtMillis: orNull(timestamptz)
})
type Row = Table.Row<typeof table>

const rowOf = (owner: string, hash: number, count = 0, endedAtMillis: number | null = null): Row => ({
  owner,
  hash: Uint8Array.of(hash),
  count,
  endedAtMillis
})

const suite = (name: string, stores: Layer.Layer<Store.Stores, unknown>) =>
  layer(stores, { timeout: "2 minutes" })(name, (it) => {
    const make = Store.make(table, { key: ["owner", "hash"], order: { count: "desc", owner: "asc" } })

    it.effect("finds, lists and counts the rows that meet all given conditions", () =>
      Effect.gen(function* () {
        const store = yield* make
        const [first, ended, last] = [rowOf("amy", 1, 5), rowOf("amy", 2, 7, 1_000), rowOf("ben", 1, 7)]
        for (const row of [first, ended, last]) assert.isTrue(yield* store.insert(row))
        assert.isFalse(yield* store.insert({ ...first, count: 9 }))
        const owner = Store.oneOf(["amy", "ben"])
        assert.deepStrictEqual(yield* store.find({ owner: "amy", hash: Uint8Array.of(1) }), Option.some(first))
        assert.deepStrictEqual(yield* store.find({ owner: "amy", hash: Uint8Array.of(3) }), Option.none())
        assert.deepStrictEqual(yield* store.list({ owner }), [ended, last, first])
        assert.deepStrictEqual(yield* store.list({ owner }, 1), [ended])
        assert.deepStrictEqual(yield* store.list({ owner, endedAtMillis: null }), [last, first])
        assert.deepStrictEqual(yield* store.list({ owner, endedAtMillis: Store.atMost(1_000) }), [ended])
        assert.deepStrictEqual(yield* store.list({ owner, endedAtMillis: Store.above(1_000) }), [])
        assert.deepStrictEqual(yield* store.list({ owner: "amy", count: Store.above(5) }), [ended])
        assert.strictEqual(yield* store.count({ owner }), 3)
      })
    )

    it.effect("replaces, updates and removes rows, and returns whether the row existed", () =>
      Effect.gen(function* () {
        const store = yield* make
        const row = rowOf("cid", 1, 1)
        yield* store.put(row)
        yield* store.put({ ...row, count: 2 })
        const open = { owner: "cid", endedAtMillis: null }
        const ended = yield* store.update(open, { endedAtMillis: 5 })
        assert.deepStrictEqual(ended, Option.some({ ...row, count: 2, endedAtMillis: 5 }))
        assert.deepStrictEqual(yield* store.update(open, { endedAtMillis: 6 }), Option.none())
        assert.isTrue(yield* store.remove({ owner: "cid" }))
        assert.isFalse(yield* store.remove({ owner: "cid" }))
      })
    )

    it.effect("applies all of several concurrent changes to a row, even if the row did not exist before", () =>
      Effect.gen(function* () {
        const store = yield* make
        const row = rowOf("dan", 1)
        const add = store.modify({ owner: row.owner, hash: row.hash }, (before = row) => ({
          ...before,
          count: before.count + 1
        }))
        yield* Effect.replicateEffect(add, 20, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* store.list({ owner: "dan" }), [{ ...row, count: 20 }])
        const unchanged = yield* store.modify({ owner: row.owner, hash: row.hash }, () => undefined)
        assert.deepStrictEqual(unchanged, Option.none())
      })
    )

    it.effect("rolls back all changes of a failed transaction", () =>
      Effect.gen(function* () {
        const store = yield* make
        yield* store.transaction(Effect.andThen(store.insert(rowOf("eve", 1)), Effect.fail("late"))).pipe(Effect.flip)
        assert.strictEqual(yield* store.count({ owner: "eve" }), 0)
      })
    )
  })

const created = Layer.effectDiscard(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      create table store_test (
        owner text collate "C", hash bytea, count integer not null, ended_at timestamptz, primary key (owner, hash)
      )`
  )
)

suite("a store in memory", Store.Stores.layerMemory)
suite("a store on Postgres", Layer.merge(Store.Stores.layer, created).pipe(Layer.provide(postgresLayer)))
