/** Tests of settings fixed at the first start, and of a venue's exclusive use of a database. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { advisoryLocks } from "@venue/postgres/AdvisoryLocks"
import { DatabaseClaim } from "@venue/postgres/DatabaseClaim"
import { Context, Effect, Fiber, Layer, type Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import * as Reactivity from "effect/reactivity/Reactivity"
import { through } from "../chaos/DatabaseLine.ts"
import { emptyDatabase } from "../Postgres.ts"

const start = (desks: string) => (url: Effect.Success<typeof emptyDatabase>) =>
  Layer.build(Layer.provide(Layer.fresh(FixedSettings.layerAlone({ VENUE_DESKS: desks })), PgClient.layer({ url })))

it.live("rejects a number of desks that differs from that of the first start", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* Effect.scoped(start("16")(url))
    yield* Effect.scoped(start("16")(url))
    const refused = yield* Effect.flip(Effect.scoped(start("8")(url)))
    assert.strictEqual(refused._tag, "SettingChanged")
    assert.include(refused.message, "VENUE_DESKS was 16")
  })
)

it.effect("the message of a changed setting states the remedy, and for a secret the value to put back", () =>
  Effect.sync(() => {
    const message = (name: string) =>
      new FixedSettings.SettingChanged({ name, founded: "16", current: "8" }).message.split(": ")[1]
    assert.strictEqual(message("VENUE_DESKS"), "set it to 16 again")
    assert.strictEqual(
      message("the mark of VENUE_SECRET_KEY"),
      "put back the value of VENUE_SECRET_KEY from its backup, because no other value decrypts the stored secrets"
    )
  })
)

it.live("rejects a second venue on the same database while the first venue is running", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* start("16")(url)
    const refused = yield* Effect.flip(Effect.scoped(start("16")(url)))
    assert.strictEqual(refused._tag, "DatabaseTaken")
  })
)

const node = (url: Effect.Success<typeof emptyDatabase>) =>
  Layer.build(Layer.provide(Layer.fresh(FixedSettings.layerShared({ VENUE_DESKS: "16" })), PgClient.layer({ url })))

it.live("allows several cluster nodes on one database, but no single-process venue in addition to them", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* node(url)
        yield* node(url)
        const lone = yield* Effect.flip(Effect.scoped(start("16")(url)))
        assert.strictEqual(lone.message, "another venue is running on this database")
      })
    )
    yield* start("16")(url)
    const refused = yield* Effect.flip(Effect.scoped(node(url)))
    assert.include(refused.message, "stop it before you start nodes")
  })
)

/** Session that takes the lock as soon as it is free, and holds it until the scope closes. */
const rival = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const sql = yield* PgClient.makeClient({ url })
  return yield* Effect.forkScoped(sql`select pg_advisory_lock(${advisoryLocks.venue})`, { startImmediately: true })
})

/** Limits the query to this database, because other tests share the server. */
const ofVenue = (sql: SqlClient.SqlClient) =>
  sql`locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

const endHolder = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url })
    // Waits until the rival queues for the lock, so that no other session gets the lock when the holder ends.
    yield* Effect.repeat(sql`select from pg_locks where ${ofVenue(sql)} and not granted`, {
      until: (rows) => rows.length > 0,
      schedule: Schedule.spaced("20 millis")
    })
    yield* sql`select pg_terminate_backend(pid) from pg_locks where ${ofVenue(sql)} and granted`
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

for (const [what, begin] of [
  ["a venue of one process", start("16")],
  ["a node", node]
] as const) {
  it.live(`${what} fails if another venue took the database during an outage`, () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const { lost } = Context.get(yield* begin(url), DatabaseClaim)
      const taking = yield* rival(url)
      yield* endHolder(url)
      yield* Fiber.join(taking)
      const loss = yield* Effect.flip(lost)
      assert.strictEqual(loss._tag, "DatabaseTaken")
    }).pipe(Effect.provide(Reactivity.layer))
  )
}

it.live(
  "if the connection that holds the database claim hangs, claims the database again over a new connection",
  () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const line = yield* through(url)
      const { lost } = Context.get(yield* start("16")(line.url), DatabaseClaim)
      const loss = yield* Effect.forkScoped(Effect.flip(lost))
      const sql = yield* PgClient.makeClient({ url })
      const holder = sql<{ pid: number }>`select pid from pg_locks where ${ofVenue(sql)} and granted`
      const [first] = yield* holder
      line.proxy.freeze()
      const next = yield* Effect.repeat(holder, {
        until: ([one]) => one !== undefined && one.pid !== first!.pid,
        schedule: Schedule.spaced("100 millis")
      })
      assert.lengthOf(next, 1)
      assert.isUndefined(loss.pollUnsafe())
    }).pipe(Effect.provide(Reactivity.layer)),
  900_000
)
