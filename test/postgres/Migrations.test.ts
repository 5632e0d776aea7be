/** Tables that a running venue has are changed without losing what is in them. */
import { deskOf } from "@venue/cluster/protocol/Desk"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { projectionGroups } from "@venue/postgres/migrations/0015_projection_groups"
import { wakeUpDesk } from "@venue/postgres/migrations/0022_wake_up_desk"
import * as Migrations from "@venue/postgres/Migrations"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trading from "@venue/storage/history/Trading"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { postgresLayer } from "../Postgres.ts"

it.effect("the positions that read tables had before there were groups are those of the groups that they became", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.scoped(Layer.build(Migrations.layer))
    // As they were before.
    yield* sql`alter table projection rename column position to stream`
    yield* sql`insert into projection (stream, seq) values ('market/AAPL-USD', 71), ('trader/ann', 8)`
    yield* projectionGroups

    const services = yield* Effect.scoped(Effect.flatMap(Layer.build(ReadTables.layer), Effect.succeed))
    const { position } = yield* Effect.provide(ReadTables, services)
    assert.strictEqual(yield* position(Trading.projection, MarketSymbol.make("AAPL-USD")), 71)
    assert.strictEqual(yield* position(LedgerEntries.projection, UserId.make("ann")), 8)
  }).pipe(Effect.provide(postgresLayer))
)

it.effect("wake-up entries that there were get the desk of their user, and traders behind in the tables get one", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.scoped(Layer.build(Migrations.layer))
    // As they were before.
    yield* sql`alter table wake_up drop column desk`
    yield* sql`insert into founding (name, value) values ('VENUE_DESKS', '16')`
    yield* sql`insert into wake_up (user_id, reason, detail) values ('ann', 'joined', 'AAPL-USD'), ('ann', 'armed', 'c')`
    yield* sql`insert into projection (position, seq) values ('ledger:trader/ann', 2), ('ledger:trader/ben', 1)`
    yield* sql`
      insert into journal (stream, seq, epoch, events)
      values ('trader/ann', 1, 1, ''), ('trader/ann', 2, 1, 'x'), ('trader/ann', 3, 2, ''),
        ('trader/ben', 1, 1, ''), ('trader/ben', 2, 1, 'x'), ('trader/ben', 3, 2, ''), ('market/AAPL-USD', 1, 1, 'x')`
    yield* wakeUpDesk

    const of = (user: string) => deskOf(UserId.make(user), 16)
    const found = yield* sql`select user_id, reason, detail, desk from wake_up order by user_id, reason`
    assert.deepEqual(
      found.map((row) => Object.values(row).join(" ")),
      [`ann armed c ${of("ann")}`, `ann joined AAPL-USD ${of("ann")}`, `ben unprojected 2 ${of("ben")}`]
    )
  }).pipe(Effect.provide(postgresLayer))
)

const journalIndex = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('journal_transaction')`
})

it.live("an append goes on while nodes that start together build the index of the journal, which is built once", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.scoped(Layer.build(Migrations.layer))
    yield* sql`drop index journal_transaction`
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
    const start = Effect.scoped(Layer.build(Layer.fresh(Migrations.layer)))
    const starting = yield* Effect.forkChild(Effect.all([start, start, start], { concurrency: "unbounded" }))
    const isBuilding = Effect.map(journalIndex, ([index]) => index?.isValid === false)
    yield* Effect.repeat(isBuilding, { until: (isSo) => isSo, schedule: Schedule.spaced("20 millis") })
    yield* sql.withTransaction(Effect.andThen(sql`set local lock_timeout = '1s'`, append(2)))
    yield* Deferred.succeed(mayCommit, undefined)
    yield* Fiber.join(open)
    yield* Fiber.join(starting)
    assert.deepStrictEqual(yield* journalIndex, [{ isValid: true }])
  }).pipe(Effect.provide(postgresLayer))
)

it.live("an index of the journal whose build was interrupted is built again", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.scoped(Layer.build(Migrations.layer))
    yield* sql`update pg_index set indisvalid = false where indexrelid = 'journal_transaction'::regclass`
    yield* Effect.scoped(Layer.build(Layer.fresh(Migrations.layer)))
    assert.deepStrictEqual(yield* journalIndex, [{ isValid: true }])
  }).pipe(Effect.provide(postgresLayer))
)
