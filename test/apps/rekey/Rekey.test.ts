/** `npm run rekey` on a database: every sealed column, nodes with the old key, and a repeated run. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Seal } from "@venue/postgres/Seal"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as SealedColumns from "@venue/storage/SealedColumns"
import { ConfigProvider, Console, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Agreed from "../../../apps/process/Agreed.ts"
import * as Agreement from "../../../apps/process/Agreement.ts"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import * as Rekey from "../../../apps/rekey/Rekey.ts"
import { freshDatabase } from "../../Postgres.ts"

const old = "0123456789abcdef0123456789abcdef"
const fresh = "fedcba9876543210fedcba9876543210"
const sealUnder = (key: string) => Effect.provide(Seal, Seal.layer(Redacted.make(key)))

const columnsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly table: string; readonly column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and starts_with(column_name, 'sealed_') order by 1, 2`
})

/** Adds rows that have only a key and a secret, without the constraints of the tables. */
const plant = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* SqlClient.SqlClient
  const seals = yield* sealUnder(old)
  for (const { column, key, nameOf, table } of SealedColumns.all) {
    const others = yield* sql<{ readonly name: string }>`
      select column_name as name from information_schema.columns c
      where table_name = ${table} and is_nullable = 'NO' and table_schema = 'public' and column_default is null
        and is_identity = 'NO' and not exists (
          select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
          where i.indisprimary and i.indrelid = to_regclass(c.table_name) and a.attname = c.column_name
        )`
    for (const { name } of others) yield* sql`alter table ${sql(table)} alter column ${sql(name)} drop not null`
    yield* sql`alter table ${sql(table)} disable trigger all`
    const attempts = table === "withdrawal_payment" ? 2 : 1
    for (let number = 0; number < rows; number++) {
      const id = `id-${String(number).padStart(5, "0")}`
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const sealed = seals.seal(Redacted.make(`secret of ${id}`), nameOf(id, attempt))
        yield* attempts === 1
          ? sql`insert into ${sql(table)} (${sql(key)}, ${sql(column)}) values (${id}, ${sealed})`
          : sql`insert into ${sql(table)} (${sql(key)}, attempt, ${sql(column)}) values (${id}, ${attempt}, ${sealed})`
      }
    }
  }
})

const rekey = Effect.fnUntraced(function* (url: Redacted.Redacted, secretKey: string, variables: object = {}) {
  const lines: Array<string> = []
  const log = (...words: ReadonlyArray<unknown>) => void lines.push(words.map(String).join(" "))
  const outcome = yield* Rekey.run.pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        VENUE_DATABASE_URL: Redacted.value(url),
        VENUE_SECRET_KEY: secretKey,
        ...variables
      })
    ),
    Effect.provideService(
      Console.Console,
      Object.assign(Object.create(globalThis.console), { log }) as Console.Console
    ),
    Effect.provide(NodeServices.layer),
    Effect.match({ onSuccess: () => "done", onFailure: (error) => (error as Error).message })
  )
  return { lines, outcome }
})

const join = Effect.fnUntraced(function* (url: Redacted.Redacted, secretKey: string) {
  const settings = yield* NodeSettings.load("runner").pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({
        VENUE_DATABASE_URL: "postgres://db/venue",
        VENUE_SECRET_KEY: secretKey,
        VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100"
      })
    ),
    Effect.provide(NodeServices.layer)
  )
  const hashes = Agreement.hashesOf(settings)
  yield* Effect.flatMap(Nodes, (nodes) =>
    nodes.join({ nodeId: secretKey, name: "runner-1", kind: "runner", address: "", release: "", settings: hashes })
  ).pipe(Effect.provide(Layer.fresh(Nodes.layer).pipe(Layer.provide(PgClient.layer({ url })))))
})

it.live("the list of sealed columns has every sealed column of the tables", () =>
  Effect.gen(function* () {
    const listed = SealedColumns.all.map(({ column, table }) => ({ table, column }))
    assert.deepStrictEqual(
      yield* columnsOf,
      listed.toSorted((a, b) => (a.table < b.table ? -1 : 1))
    )
  }).pipe(
    Effect.provide(PgClient.layerFrom(Effect.flatMap(freshDatabase, (url) => PgClient.make({ url })))),
    Effect.scoped
  )
)

it.live("seals every secret under the new key once all nodes use it, and a repeated run changes nothing", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.include((yield* rekey(url, `${fresh},${old}`)).outcome, "expected a database that holds a venue")
      yield* FixedSettings.agree(Agreed.secretKeyMark, Agreed.markOf(Redacted.make(old)))
      // More rows than one page has.
      yield* plant(520)
      assert.include((yield* rekey(url, old)).outcome, "VENUE_SECRET_KEY: expected two keys")
      const strange = "another key of at least 32 characters"
      assert.include((yield* rekey(url, `${fresh},${strange}`)).outcome, "the mark of VENUE_SECRET_KEY was")

      yield* join(url, `${old},${fresh}`)
      assert.match((yield* rekey(url, `${fresh},${old}`)).outcome, /^runner-1: expected the new key first/)
      yield* join(url, `${fresh},${old}`)
      const { lines, outcome } = yield* rekey(url, `${fresh},${old}`)
      assert.strictEqual(outcome, "done")
      assert.deepStrictEqual(lines.slice(0, -1), [
        "api_key: 520 renewed, 0 renewed before",
        "factor: 520 renewed, 0 renewed before",
        "operator: 520 renewed, 0 renewed before",
        "signing_key: 520 renewed, 0 renewed before",
        "alarm_webhook: 520 renewed, 0 renewed before",
        "running_setting: 520 renewed, 0 renewed before",
        "webhook: 520 renewed, 0 renewed before",
        "bank_account: 520 renewed, 0 renewed before",
        "withdrawal_payment: 1040 renewed, 0 renewed before"
      ])

      const seals = yield* sealUnder(fresh)
      for (const { column, key, nameOf, table } of SealedColumns.all) {
        const rows = yield* sql<{ readonly key: string; readonly secret: Uint8Array }>`
          select ${sql(key)} as key, ${sql(column)} as secret from ${sql(table)}
          ${sql.literal(table === "withdrawal_payment" ? "where attempt = 2" : "")}`
        assert.lengthOf(rows, 520)
        for (const row of rows)
          assert.strictEqual(Redacted.value(seals.open(row.secret, nameOf(row.key, 2))), `secret of ${row.key}`)
      }
      const [founded] = yield* sql<{ readonly value: string }>`
        select value from founding where name = ${Agreed.secretKeyMark}`
      assert.strictEqual(founded!.value, Agreed.markOf(Redacted.make(fresh)))
      const again = yield* rekey(url, `${fresh},${old}`)
      assert.strictEqual(again.lines[0], "api_key: 0 renewed, 520 renewed before")
      assert.strictEqual(again.outcome, "done")
      const asOwner = yield* rekey(Redacted.make("postgres://nodes@127.0.0.1:1/venue"), `${fresh},${old}`, {
        VENUE_MIGRATION_DATABASE_URL: Redacted.value(url)
      })
      assert.strictEqual(asOwner.outcome, "done")
    }).pipe(Effect.provide(PgClient.layer({ url })))
  }).pipe(Effect.scoped)
)
