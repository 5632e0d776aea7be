import {
  bigint,
  boolean,
  bytea,
  float8,
  integer,
  named,
  numeric,
  of,
  orNull,
  text,
  textArray,
  timestamptz
} from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { emptyPostgresLayer } from "../Postgres.ts"

const table = Table.make("everything", {
  id: text,
  side: of("text", Schema.Literals(["BUY", "SELL"])),
  count: bigint,
  amount: numeric,
  place: integer,
  price: orNull(float8),
  isOpen: boolean,
  hash: bytea,
  openedAtMillis: timestamptz,
  since: named("since_at", orNull(timestamptz))
})
const lists = Table.make("list", { id: text, words: textArray, details: of("jsonb", Schema.Array(Schema.String)) })

const row: Table.Row<typeof table> = {
  id: "one",
  side: "BUY",
  count: Number.MAX_SAFE_INTEGER,
  amount: -(10n ** 40n),
  place: -3,
  price: 0.1,
  isOpen: true,
  hash: Uint8Array.of(0, 255),
  openedAtMillis: 1_700_000_000_123,
  since: null
}

/** Creates the tables above, without rows. */
const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop table if exists everything, list`
  yield* sql`
    create table everything (
      id text primary key, side text not null, count bigint not null, amount numeric(60, 0) not null,
      place integer not null, price float8, is_open boolean not null default false, hash bytea not null,
      opened_at timestamptz not null, since_at timestamptz
    )`
  yield* sql`create table list (id text primary key, words text[] not null, details jsonb not null)`
  return sql
})

layer(emptyPostgresLayer, { timeout: "2 minutes" })("tables", (it) => {
  it.effect("reads a row as it was written", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      yield* sql`insert into everything ${table.values(row)}`
      assert.deepStrictEqual(yield* table.all(sql`select ${table.columns} from everything`), [row])
      const list = { id: "a", words: ["x", ""], details: ["y"] }
      const made = yield* lists.first(sql`insert into list ${lists.values(list)} returning ${lists.columns}`)
      assert.deepStrictEqual(made, Option.some(list))
    })
  )

  it.effect("inserts many rows in one statement, and reads each row as it was written", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      const rows = [
        row,
        { ...row, id: "three", price: null, since: 1_000 },
        { ...row, id: "two", side: "SELL" as const }
      ]
      const batch = table.batch(rows, "on conflict (id) do nothing")
      yield* sql`${batch.insert(0, 2)} ${batch.conflict}`
      yield* sql`${batch.insert(0, batch.rows)} ${batch.conflict}`
      assert.deepStrictEqual(yield* table.all(sql`select ${table.columns} from everything order by id`), rows)
    })
  )

  it.effect("fills omitted columns with defaults on insert, and leaves them unchanged on update", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      const { isOpen: _, ...rest } = row
      yield* sql`insert into everything ${table.values(rest)}`
      yield* sql`update everything set ${table.set({ side: "SELL", openedAtMillis: 5 })}`
      const [changed] = yield* table.all(sql`select ${table.columns} from everything`)
      assert.deepStrictEqual(changed, { ...row, isOpen: false, side: "SELL", openedAtMillis: 5 })
    })
  )

  it.effect("reads selected and computed columns under their names", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      yield* sql`insert into everything ${table.values(row)}`
      const some = table.pick("id", "openedAtMillis")
      const found = yield* some.first(sql`select ${some.columns} from everything`)
      assert.deepStrictEqual(found, Option.some({ id: "one", openedAtMillis: row.openedAtMillis }))
      const more = table.with({ double: { schema: Schema.Number, expression: "place * 2" } })
      assert.deepStrictEqual(yield* more.all(sql`select ${more.columns} from everything`), [{ ...row, double: -6 }])
      assert.deepStrictEqual(yield* some.first(sql`select ${some.columns} from everything where false`), Option.none())
    })
  )

  it.effect("stores a NUL character as the Unicode replacement character", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      yield* sql`insert into everything ${table.values({ ...row, id: "a\0b" })}`
      yield* sql`insert into list ${lists.values({ id: "a", words: ["\0"], details: ["c\0\ud800"] })}`
      const [found] = yield* table.all(sql`select ${table.columns} from everything`)
      assert.strictEqual(found?.id, "a\ufffdb")
      const list = { id: "a", words: ["\ufffd"], details: ["c\ufffd\ufffd"] }
      assert.deepStrictEqual(yield* lists.all(sql`select ${lists.columns} from list`), [list])
    })
  )

  it.effect("fails with a defect on a row that does not match the table's columns", () =>
    Effect.gen(function* () {
      const sql = yield* fresh
      yield* sql`insert into everything ${table.values(row)}`
      yield* sql`update everything set side = 'HOLD'`
      const exit = yield* Effect.exit(table.all(sql`select ${table.columns} from everything`))
      assert.isTrue(Exit.hasDies(exit))
    })
  )
})
