/** Tests of migrations, and of large indexes that are built while a venue is running. */
import * as ConcurrentIndexes from "@venue/postgres/ConcurrentIndexes"
import * as Migrations from "@venue/postgres/Migrations"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { emptyPostgresLayer } from "../Postgres.ts"

const migrate = Effect.scoped(Layer.build(Layer.fresh(Migrations.layer)))

describe("database migrations", () => {
  it.effect("applies migrations once when several nodes start together", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.all([migrate, migrate, migrate], { concurrency: "unbounded" })
      yield* migrate
      const rows = yield* sql`select migration_id as number, name from migration order by migration_id`
      assert.deepStrictEqual(rows, [
        { number: 1, name: "baseline" },
        { number: 5, name: "operators" },
        { number: 6, name: "auditor_checkpoint" },
        { number: 7, name: "journal_archive" },
        { number: 8, name: "recovery" },
        { number: 9, name: "alarms" },
        { number: 10, name: "running_settings" },
        { number: 11, name: "token_given" }
      ])
    }).pipe(Effect.provide(emptyPostgresLayer))
  )

  it.effect("rejects migrations from before 0.1.0, and leaves the database unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        create table migration (
          migration_id integer primary key, created_at timestamptz not null default now(), name text not null
        )`
      yield* sql`insert into migration (migration_id, name) values (1, 'journal'), (2, 'read_tables'), (44, 'profiles')`
      const { message } = yield* Effect.flip(migrate)
      assert.strictEqual(
        message,
        'migration 1 of the database is "journal" and not "baseline": a database created before release 0.1.0 cannot be upgraded; start with an empty database and an empty data directory'
      )
      assert.deepStrictEqual(yield* sql`select tablename from pg_tables where schemaname = 'public'`, [
        { tablename: "migration" }
      ])
    }).pipe(Effect.provide(emptyPostgresLayer))
  )

  it.effect("rejects a database to which a newer release added a migration", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      yield* sql`insert into migration (migration_id, name) values (9999, 'newer')`
      const { message } = yield* Effect.flip(migrate)
      assert.strictEqual(
        message,
        "the database is at migration 9999 and this release has migrations up to 11: start the release that upgraded the database, or a newer one"
      )
    }).pipe(Effect.provide(emptyPostgresLayer))
  )
})

const indexes = { journal_epoch: "journal (epoch, stream)" }
const build = ConcurrentIndexes.build(indexes)

const builtIndex = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('journal_epoch')`
})

describe("large-table index", () => {
  it.live("builds the index once when several nodes start together, while appends continue", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      const [begun, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const append = (seq: number) =>
        sql`insert into journal (stream, seq, epoch, events) values ('trader/ann', ${seq}, ${seq}, '')`
      const open = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* append(1)
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(begun)
      const starting = yield* Effect.forkChild(Effect.all([build, build, build], { concurrency: "unbounded" }))
      const isBuilding = Effect.map(builtIndex, ([index]) => index?.isValid === false)
      yield* Effect.repeat(isBuilding, { until: (isSo) => isSo, schedule: Schedule.spaced("20 millis") })
      yield* sql.withTransaction(Effect.andThen(sql`set local lock_timeout = '1s'`, append(2)))
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(open)
      yield* Fiber.join(starting)
      assert.deepStrictEqual(yield* builtIndex, [{ isValid: true }])
    }).pipe(Effect.provide(emptyPostgresLayer))
  )

  it.live("rebuilds the index after an interrupted build", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate
      yield* build
      yield* sql`update pg_index set indisvalid = false where indexrelid = 'journal_epoch'::regclass`
      yield* build
      assert.deepStrictEqual(yield* builtIndex, [{ isValid: true }])
    }).pipe(Effect.provide(emptyPostgresLayer))
  )
})
