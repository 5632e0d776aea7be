/** Settings that operators change while the venue runs, on Postgres and in memory. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Seal } from "@venue/postgres/Seal"
import { type Options, RunningSettings } from "@venue/storage/settings/RunningSettings"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { dump, freshDatabase } from "../../Postgres.ts"

const text = (value: string) => Redacted.make(value)
const by = { by: "tom", reason: "the lawyers asked" }

/** Builds a node's settings. Two nodes with one URL share a database. */
const node = (url: Redacted.Redacted, options: Options) =>
  Effect.map(
    Layer.build(
      Layer.fresh(RunningSettings.layer(options)).pipe(
        Layer.provideMerge(Layer.fresh(PgClient.layer({ url, maxConnections: 4 }))),
        Layer.provide(Seal.layer(text("0123456789abcdef0123456789abcdef")))
      )
    ),
    (context) => ({ settings: Context.get(context, RunningSettings), sql: Context.get(context, SqlClient.SqlClient) })
  )

const onPostgres = (options: Options) =>
  Effect.flatMap(freshDatabase, (url) => Effect.map(node(url, options), ({ settings }) => settings))
const inMemory = (options: Options) =>
  Effect.map(Layer.build(Layer.fresh(RunningSettings.layerMemory(options))), Context.get(RunningSettings))

for (const [name, made] of [
  ["Postgres", onPostgres],
  ["memory", inMemory]
] as ReadonlyArray<
  readonly [string, (options: Options) => Effect.Effect<RunningSettings["Service"], unknown, Scope.Scope>]
>) {
  it.live(`${name}: an unset setting has its default, and a change is in force at once with its author`, () =>
    Effect.gen(function* () {
      const settings = yield* made({ given: {}, defaults: { newAddressHoldHours: text("0") } })
      assert.deepInclude(settings.now(), { termsVersion: "1", newAddressHoldHours: 0, blockedCountries: [] })
      const observed: Array<string> = []
      yield* settings.watch(() => void observed.push(settings.now().termsVersion))
      const { stored, version } = yield* settings.change(0, { termsVersion: text("2026-12") }, by)
      yield* settings.read
      assert.deepStrictEqual(observed, ["2026-12"])
      assert.deepInclude(stored.get("termsVersion")!, { changedBy: "tom", fingerprint: null })
      assert.strictEqual((yield* settings.read).version, version)
    })
  )

  it.live(`${name}: refuses a change from an older version, and lists all changes without secrets`, () =>
    Effect.gen(function* () {
      const settings = yield* made({ given: {} })
      const { version } = yield* settings.change(
        0,
        { blockedCountries: text("IR,KP"), identityKey: text("the first key") },
        by
      )
      const { _tag } = yield* Effect.flip(settings.change(0, { termsVersion: text("2") }, by))
      assert.strictEqual(_tag, "VersionDiffers")
      yield* settings.change(version, { identityKey: text("the second key") }, by)
      yield* settings.read
      assert.strictEqual(Redacted.value(settings.now().identityKey), "the second key")
      const changes = yield* settings.history(Number.MAX_SAFE_INTEGER, 10)
      assert.deepStrictEqual(
        changes.map(({ name, value }) => [name, value]),
        [
          ["VENUE_IDENTITY_KEY", null],
          ["VENUE_IDENTITY_KEY", null],
          ["VENUE_BLOCKED_COUNTRIES", "IR,KP"]
        ]
      )
      const [second, first] = changes
      assert.notStrictEqual(second!.fingerprint, first!.fingerprint)
      assert.lengthOf(yield* settings.history(second!.number, 1), 1)
      assert.notInclude(JSON.stringify(changes), 'key"')
    })
  )
}

it.live("the first node with a variable stores its value; later, a differing variable is ignored with a warning", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const logged: Array<string> = []
    const logs = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    yield* node(url, { given: { twoPeopleAbove: text("5000") } })
    const { settings } = yield* Effect.provide(
      node(url, { given: { twoPeopleAbove: text("7000"), identityKey: text("hidden"), termsVersion: text("3") } }),
      logs
    )
    assert.deepInclude(settings.now(), { twoPeopleAbove: 5_000, termsVersion: "3" })
    assert.match(logged.join(), /^VENUE_TWO_PEOPLE_ABOVE: the environment differs/)
    assert.notInclude(logged.join(), "7000")
    const { stored } = yield* settings.read
    assert.strictEqual(stored.get("twoPeopleAbove")!.changedBy, "environment")
  })
)

it.live("a change on one node is in force on the other, and a secret is sealed", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const first = yield* node(url, { given: {} })
    const second = yield* node(url, { given: {} })
    const seen = yield* Deferred.make<string>()
    yield* second.settings.watch(
      () => void Deferred.doneUnsafe(seen, Effect.succeed(Redacted.value(second.settings.now().captchaSecret)))
    )
    yield* first.settings.change(0, { captchaSecret: text("of the widget") }, by)
    assert.strictEqual(yield* Deferred.await(seen), "of the widget")
    const rows = yield* Effect.provideService(dump, SqlClient.SqlClient, first.sql)
    assert.include(rows, "VENUE_CAPTCHA_SECRET")
    assert.notInclude(rows, "of the widget")
    assert.notInclude(rows, Buffer.from("of the widget").toString("hex"))
  })
)

it.live("a node that cannot read the table keeps the last values, and follows the table again afterwards", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { settings, sql } = yield* node(url, { given: {} })
    const { version } = yield* settings.change(0, { termsVersion: text("2") }, by)
    yield* settings.read
    yield* sql`alter table setting_change rename to away`
    assert.strictEqual((yield* Effect.flip(settings.read))._tag, "DatabaseUnavailable")
    assert.strictEqual(settings.now().termsVersion, "2")
    yield* sql`alter table away rename to setting_change`
    yield* settings.change(version, { termsVersion: text("3") }, by)
    yield* settings.read
    assert.strictEqual(settings.now().termsVersion, "3")
  }).pipe(Effect.provide(Logger.layer([])))
)

it.live("the history only grows", () =>
  Effect.gen(function* () {
    const { settings, sql } = yield* node(yield* freshDatabase, { given: {} })
    yield* settings.change(0, { termsVersion: text("2") }, by)
    for (const statement of [sql`delete from setting_change`, sql`update setting_change set value = '9'`])
      assert.strictEqual((yield* Effect.flip(statement))._tag, "SqlError")
  })
)

it.live("a change whose transaction fails is never in force", () =>
  Effect.gen(function* () {
    const { settings, sql } = yield* node(yield* freshDatabase, { given: {} })
    const observed: Array<string> = []
    yield* settings.watch(() => void observed.push(settings.now().termsVersion))
    const failed = sql.withTransaction(
      Effect.andThen(settings.change(0, { termsVersion: text("2") }, by), Effect.fail("the audit log is full"))
    )
    assert.strictEqual(yield* Effect.flip(failed), "the audit log is full")
    assert.deepStrictEqual([(yield* settings.read).version, settings.now().termsVersion, observed], [0, "1", []])
  })
)
