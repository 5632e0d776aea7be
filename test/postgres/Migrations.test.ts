/** Tables that a running venue has are changed without losing what is in them. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { projectionGroups } from "@venue/postgres/migrations/0015_projection_groups"
import * as Migrations from "@venue/postgres/Migrations"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trading from "@venue/storage/history/Trading"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
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
