/** Pins the SQL of each released migration: a database that has run it never runs it again. */
import { baseline } from "@venue/postgres/migrations/0001_baseline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"

/** SHA-256 of each released migration's statements. A release adds its migrations here. */
const released: ReadonlyArray<readonly [name: string, Effect.Effect<unknown, SqlError, SqlClient.SqlClient>, string]> =
  [["0001_baseline", baseline, "c89190d44069c0e0dbc70ccc1c43374a6a9a40cae7e5af730f202479903a9889"]]

/** Returns the statements that a migration runs, in order, without comments and line breaks. */
const statementsOf = Effect.fnUntraced(function* (migration: Effect.Effect<unknown, SqlError, SqlClient.SqlClient>) {
  const statements: Array<string> = []
  const record = (parts: TemplateStringsArray, ...values: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      const text = parts.join("?").replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ").trim()
      statements.push(JSON.stringify([text, values]))
    })
  yield* Effect.provideService(migration, SqlClient.SqlClient, record as unknown as SqlClient.SqlClient)
  return statements
})

describe("released migrations", () => {
  it.effect.each(released)("keeps the SQL of the released migration %s", ([name, migration, pinned]) =>
    Effect.gen(function* () {
      const statements = yield* statementsOf(migration)
      const hash = createHash("sha256").update(statements.join("\n")).digest("hex")
      assert.strictEqual(hash, pinned, `${name}: a released migration is never changed; add migration 2`)
    })
  )
})
