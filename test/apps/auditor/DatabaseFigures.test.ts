/** Figures of the database for the metrics, on Postgres. */
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseFigures from "../../../apps/auditor/DatabaseFigures.ts"
import * as Changes from "../../storage/treasury/Changes.ts"
import * as World from "../../storage/treasury/TreasuryWorld.ts"

const read = Effect.flatMap(SqlClient.SqlClient, DatabaseFigures.read)

it.effect("counts open withdrawals by rail and state, and unsigned payments by rail", () =>
  Effect.gen(function* () {
    const { approve, end, refuse } = yield* Changes.withdrawals
    const userId = UserId.make("a user")
    for (const id of ["held-1", "held-2", "ended"])
      yield* World.recorded(userId, World.accepted(id, { reasons: ["amount"] }))
    yield* World.recorded(userId, World.accepted("queued"))
    yield* approve("held-2", "olga")
    yield* refuse("queued", World.obstacle("no gas"))
    const before = yield* read
    assert.sameDeepMembers(
      before.withdrawals.map(({ count, rail, state }) => [rail, state, count]),
      [
        ["ARBITRUM_ONE", "HELD_FOR_REVIEW", 2],
        ["ARBITRUM_ONE", "QUEUED", 2],
        ["ARBITRUM_ONE", "UNSIGNED", 1]
      ]
    )
    for (const { oldestSeconds } of before.withdrawals) assert.isAtLeast(oldestSeconds, 0)
    yield* end("held-1", { ending: "REJECTED", by: "olga", reason: { _tag: "Rejected", text: "unknown" } })
    const held = (yield* read).withdrawals.filter(({ state }) => state === "HELD_FOR_REVIEW")
    assert.isAtMost(held[0]?.count ?? 0, 2)
  }).pipe(Effect.provide(World.onPostgres))
)

it.effect("reads sizes, connections by pool of a node, rails and nodes", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      insert into node (node_id, name, kind, address, release, settings, last_seen_at)
      values ('1', 'runner-1', 'runner', 'a', '0.1.0', '{}', clock_timestamp() - interval '7 seconds')`
    yield* sql`insert into node (node_id, name, kind, address, release, settings, left_at)
      values ('2', 'runner-2', 'runner', 'b', '0.1.0', '{}', clock_timestamp())`
    yield* sql`insert into rail_state (rail, scanned_at, unavailable_since)
      values ('TRON', null, clock_timestamp() - interval '90 seconds'), ('BANK', clock_timestamp(), null)`
    yield* sql`insert into operator (name, token_hash, roles, created_at, expires_at, removed_at) values
      ('olga', 'a', '{viewer}', clock_timestamp(), to_timestamp(4000000000), null),
      ('otto', 'b', '{viewer}', clock_timestamp(), to_timestamp(3000000000), null),
      ('anna', 'c', '{viewer}', clock_timestamp(), to_timestamp(2900000000), clock_timestamp())`
    const named = yield* sql.reserve
    yield* named.executeValues("set application_name = 'runner-1/journal'", [])
    const figures = yield* read
    assert.isAbove(figures.sizes.databaseBytes, figures.sizes.journalBytes)
    assert.isAbove(figures.sizes.journalBytes, 0)
    assert.isAbove(figures.sizes.maxConnections, 0)
    assert.deepInclude(figures.connections, { node: "runner-1", pool: "journal", state: "idle", count: 1 })
    assert.isTrue(figures.connections.some(({ node, pool }) => node === "other" && pool === ""))
    assert.deepStrictEqual(
      figures.nodes.map(({ kind, name, release, seenSeconds }) => [
        name,
        kind,
        release,
        Math.floor(seenSeconds / 7) > 0
      ]),
      [["runner-1", "runner", "0.1.0", true]]
    )
    assert.deepStrictEqual(
      figures.rails
        .map(({ rail, scanSeconds, unavailableSeconds }) => [rail, scanSeconds === null, unavailableSeconds >= 90])
        .toSorted(),
      [
        ["BANK", false, false],
        ["TRON", true, true]
      ]
    )
    assert.deepStrictEqual(figures.operators, { nextExpirySeconds: 3_000_000_000 })
    assert.deepStrictEqual(figures.webhooks, { waiting: 0, disabled: 0 })
    assert.deepStrictEqual(figures.replicas, { count: 0, lagSeconds: null })
    assert.strictEqual(figures.uncoveredUsd, 0)
  }).pipe(Effect.scoped, Effect.provide(World.onPostgres))
)
