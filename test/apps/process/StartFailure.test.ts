/** Messages of a start that the database refuses: one sentence for each cause, with its remedy. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as Migrations from "@venue/postgres/Migrations"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { randomUUID } from "node:crypto"
import * as StartFailure from "../../../apps/process/StartFailure.ts"
import { freePort } from "../../cluster/VenueNodes.ts"
import { emptyDatabase, freshDatabase } from "../../Postgres.ts"

/** Returns the message of a start that creates the tables, or undefined if the start succeeds. */
const messageAt = (url: string) =>
  Layer.build(
    Layer.fresh(Layer.provide(Layer.fresh(Migrations.layer), DatabaseClient.layer({ url: Redacted.make(url) })))
  ).pipe(
    Effect.scoped,
    Effect.exit,
    Effect.map((exit) => (Exit.isFailure(exit) ? StartFailure.linesOf(exit.cause).join("\n") : undefined))
  )

/** Creates a role without rights, which is dropped when the scope closes. */
const roleOn = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sql = yield* PgClient.makeClient({ url })
  const role = `role_${randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(sql.unsafe(`create role ${role} login password 'secret'`), () =>
    Effect.orDie(Effect.andThen(sql.unsafe(`drop owned by ${role} cascade`), sql.unsafe(`drop role ${role}`)))
  )
  const of = new URL(Redacted.value(url))
  of.username = role
  of.password = "secret"
  return { role, sql, url: of }
}, Effect.provide(Reactivity.layer))

it.live("a role without CREATE is named with the grant that it lacks, and works after this grant", () =>
  Effect.gen(function* () {
    const { role, sql, url } = yield* roleOn(yield* emptyDatabase)
    yield* sql.unsafe("revoke create on schema public from public")
    const message = yield* messageAt(url.href)
    assert.include(message, `the role ${role} lacks the right to create them`)
    const grant = message!.split("run: ")[1]!
    yield* sql.unsafe(grant)
    assert.isUndefined(yield* messageAt(url.href))
  })
)

it.live(
  "a role without CREATE can use tables that are up to date, and a missing right on them has its own sentence",
  () =>
    Effect.gen(function* () {
      const { role, sql, url } = yield* roleOn(yield* freshDatabase)
      yield* sql.unsafe("revoke create on schema public from public")
      assert.include(yield* messageAt(url.href), "lacks a right (permission denied for table migration)")
      yield* sql.unsafe(`grant select on all tables in schema public to ${role}`)
      assert.isUndefined(yield* messageAt(url.href))
    })
)

it.live("a wrong password, a missing database, a closed port and an unknown host each have their own sentence", () =>
  Effect.gen(function* () {
    const { url } = yield* roleOn(yield* emptyDatabase)
    const changed = (change: (of: URL) => void) => {
      const of = new URL(url)
      change(of)
      return messageAt(of.href)
    }
    const wrongPassword = yield* changed((of) => (of.password = "hunter2"))
    assert.include(wrongPassword, "the database refuses the password")
    assert.notInclude(wrongPassword, "hunter2")
    assert.include(yield* changed((of) => (of.pathname = "/none")), 'database "none" does not exist')
    const port = yield* Effect.promise(freePort)
    assert.include(yield* messageAt(`postgres://u:p@127.0.0.1:${port}/x`), "no server listens at the address")
    assert.include(yield* messageAt("postgres://u:p@nowhere.invalid/x"), "cannot be resolved")
    assert.include(yield* messageAt("postgres://u:hunter2@db/x?sslmode=on"), "VENUE_DATABASE_URL: expected sslmode")
  })
)
