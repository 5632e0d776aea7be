/** First start of a venue on an empty database, and `npm run init`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as FirstStart from "../../../apps/process/FirstStart.ts"
import * as Init from "../../../apps/init/Init.ts"
import { emptyDatabase, freshDatabase } from "../../Postgres.ts"

const init = (url: Redacted.Redacted, name = "VENUE_DATABASE_URL") =>
  Init.run.pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({
        env: {
          VENUE_DATABASE_URL: "postgres://nodes@127.0.0.1:1/venue",
          VENUE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
          [name]: Redacted.value(url)
        }
      })
    )
  )

const requested = { init: Option.some("new-venue" as const) }
const notRequested = { init: Option.none() }

it.live("outside development, an empty database is refused unless a new venue is requested", () =>
  Effect.gen(function* () {
    for (const database of [emptyDatabase, freshDatabase]) {
      const databaseUrl = yield* database
      const refused = yield* Effect.flip(FirstStart.check({ databaseUrl, environment: "production", ...notRequested }))
      const { host, password, pathname } = new URL(Redacted.value(databaseUrl))
      assert.include(refused.message, `the database ${host}${pathname} holds no venue`)
      assert.include(refused.message, "npm run init or by starting one node with VENUE_INIT=new-venue")
      if (password !== "") assert.notInclude(refused.message, password)
      yield* FirstStart.check({ databaseUrl, environment: "production", ...requested })
      yield* FirstStart.check({ databaseUrl, environment: "development", ...notRequested })
      assert.isFalse(yield* FirstStart.isFounded(databaseUrl))
    }
  }).pipe(Effect.provide([NodeServices.layer, Reactivity.layer]))
)

it.live("npm run init creates a venue once, which nodes then accept", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* emptyDatabase
    yield* init(databaseUrl)
    assert.isTrue(yield* FirstStart.isFounded(databaseUrl))
    yield* FirstStart.check({ databaseUrl, environment: "production", ...notRequested })
    assert.include((yield* Effect.flip(init(databaseUrl))).message, "already holds a venue; nothing was changed")
  }).pipe(Effect.provide([NodeServices.layer, Reactivity.layer]))
)

it.live("npm run init connects as the owner of the tables if the owner has a URL of its own", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* emptyDatabase
    yield* init(databaseUrl, "VENUE_MIGRATION_DATABASE_URL")
    assert.isTrue(yield* FirstStart.isFounded(databaseUrl))
  }).pipe(Effect.provide([NodeServices.layer, Reactivity.layer]))
)

it("the name of a database contains neither user nor password", () => {
  assert.strictEqual(
    FirstStart.nameOf(Redacted.make("postgres://me:secret@db.host:5433/venue?x=y")),
    "db.host:5433/venue"
  )
  assert.strictEqual(FirstStart.nameOf(Redacted.make("postgres://me:secret@a,b/venue:")).includes("secret"), false)
})
