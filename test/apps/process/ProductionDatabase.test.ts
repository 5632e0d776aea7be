/** Databases that a venue refuses outside development. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { embeddedClaim } from "@venue/postgres/EmbeddedClaim"
import * as Migrations from "@venue/postgres/Migrations"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as NodeSettings from "../../../apps/process/NodeSettings.ts"
import * as Production from "../../../apps/process/Production.ts"
import { emptyDatabase } from "../../Postgres.ts"

type Environment = "development" | "preproduction" | "production"

/** Returns the message with which the start fails, or undefined. */
const refusal = Effect.fnUntraced(function* (environment: Environment) {
  const variables = {
    VENUE_ENVIRONMENT: environment,
    VENUE_DATABASE_URL: "postgres://db/venue",
    VENUE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    VENUE_CLUSTER_ADDRESS: "10.0.0.3:4100",
    VENUE_SIMULATED_PRICES: "off",
    VENUE_SIMULATED_RAILS: "off"
  }
  const settings = yield* NodeSettings.load("runner").pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)),
    Effect.provide(NodeServices.layer)
  )
  return yield* Production.checkDatabase(settings).pipe(
    Effect.as(undefined),
    Effect.catchTag("SettingRefused", ({ message }) => Effect.succeed(message))
  )
})

const addKey = (publicKey: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into venue_user (user_id, name, created_at) values (${publicKey}, 'ann', now())`
    yield* sql`
      insert into api_key (public_key, user_id, label, sealed_secret, permissions, scope, created_at)
      values (${publicKey}, ${publicKey}, 'bot', '', '{}', 'all_accounts', now())`
  })

/** Hides the server's own sessions, so that the test can add others. */
const isolated = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table fake_session (application_name text)`
      yield* sql`create view pg_stat_activity as select * from fake_session`
      const [{ name }] = (yield* sql`select current_database() as name`) as [{ readonly name: string }]
      yield* sql`alter database ${sql(name)} set search_path = public, pg_catalog`
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    return Layer.provideMerge(Migrations.layer, Layer.fresh(PgClient.layer({ url, maxConnections: 2 })))
  })
)

it.live("refuses the embedded server and test API keys in production, and names each of them", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const refusals = Effect.all([refusal("development"), refusal("preproduction"), refusal("production")])
    assert.deepStrictEqual(yield* refusals, [undefined, undefined, undefined])

    yield* sql`insert into fake_session values ('psql'), (${embeddedClaim})`
    const [, ...ofServer] = yield* refusals
    const server = "VENUE_DATABASE_URL: expected a database server other than the embedded one in"
    assert.deepStrictEqual(ofServer, [`${server} preproduction`, `${server} production`])
    assert.isUndefined(yield* refusal("development"))
    yield* sql`delete from fake_session`

    yield* addKey("svc_live_1")
    assert.deepStrictEqual(yield* refusals, [undefined, undefined, undefined])
    yield* addKey("svc_test_1")
    const keys = "VENUE_DATABASE_URL: expected a database without test API keys in"
    assert.deepStrictEqual(yield* refusals, [undefined, `${keys} preproduction`, `${keys} production`])
  }).pipe(Effect.provide(isolated), Effect.scoped)
)
