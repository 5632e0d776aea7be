/** Settings that operators change while the venue runs, in a table that every node follows. */
import { PgClient } from "@effect/sql-pg"
import { definitions, type Field, fieldOf, fields } from "@venue/domain/RunningSettings"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import { hashOf } from "@venue/postgres/SecretHash"
import { Clock, Context, Effect, Layer, Queue, Redacted, Schedule, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as SettingRows from "./SettingRows.ts"
import type { ChangedBy, SettingChange, Snapshot } from "./SettingRows.ts"
import * as SettingValues from "./SettingValues.ts"
import type { Stored, Texts, Values } from "./SettingValues.ts"

/** The settings changed since the caller read this version. */
export class VersionDiffers extends Schema.TaggedError<VersionDiffers>()("VersionDiffers", {
  version: Schema.Number
}) {}

/** Author of values that a node found in its environment. */
export const environment = "environment"

export interface Options {
  /** Texts in this node's environment. A text is stored if the setting has no stored value yet. */
  readonly given: Texts
  /** Texts of unset settings in place of the usual defaults. */
  readonly defaults?: Texts
}

export class RunningSettings extends Context.Service<
  RunningSettings,
  {
    /** Returns the values in force on this node, at most 500 ms old while the database is reachable. */
    readonly now: () => Values
    /** Until the scope closes, calls `observe` after each change, within 500 ms. */
    readonly watch: (observe: () => void) => Effect.Effect<void, never, Scope.Scope>
    /** Returns the committed values, which are then in force on this node. */
    readonly read: Effect.Effect<Snapshot, DatabaseUnavailable>
    /** Within a transaction: returns the values at a version. Other writers wait until the transaction ends. */
    readonly claim: (version: number) => Effect.Effect<Snapshot, VersionDiffers | DatabaseUnavailable>
    /**
     * Stores texts that `SettingValues.flawOf` accepts, and returns the new values. They are announced on commit, and
     * in force on this node after the next `read`.
     */
    readonly change: (
      version: number,
      texts: Texts,
      by: ChangedBy
    ) => Effect.Effect<Snapshot, VersionDiffers | DatabaseUnavailable>
    /** Returns texts by name, with a fingerprint in place of each secret. */
    readonly described: (texts: Texts) => Readonly<Record<string, string>>
    /** Returns the newest changes before a number, at most `limit`, newest first. */
    readonly history: (
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SettingChange>, DatabaseUnavailable>
  }
>()("@venue/storage/settings/RunningSettings") {
  static readonly layer = (
    options: Options
  ): Layer.Layer<
    RunningSettings,
    MigrationError | SqlError | VersionDiffers,
    PgClient.PgClient | SqlClient.SqlClient | Seal
  > => Layer.effect(RunningSettings, makeSql(options)).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory = (options: Options): Layer.Layer<RunningSettings> =>
    Layer.effect(RunningSettings, makeMemory(options)).pipe(Layer.provide(MemoryTables.layer))
}

const makeSql = Effect.fnUntraced(function* (options: Options) {
  const sql = yield* PgClient.PgClient
  const seal = yield* Seal
  const { history, readRows, version, write } = SettingRows.of(sql, seal)
  const view = SettingValues.view(options.defaults ?? {})
  const refresh = Effect.tap(readRows, (snapshot) => view.replace(snapshot.version, snapshot.stored))
  /** Writers take turns; readers are not blocked. */
  const lock = sql`lock table running_setting in exclusive mode`
  const claim = Effect.fn("RunningSettings.claim")(function* (expected: number) {
    yield* lock
    const snapshot = yield* readRows
    return snapshot.version === expected ? snapshot : yield* new VersionDiffers({ version: snapshot.version })
  }, orUnavailable)

  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* lock
      const { stored } = yield* readRows
      const { differing, missing } = SettingValues.compared(options.given, stored)
      if (Object.keys(missing).length > 0) yield* write(missing, initially)
      if (differing.length > 0)
        yield* Effect.logWarning(
          `${differing.map((field) => definitions[field].name).join(", ")}: the environment differs from the venue's value, which applies; change it with PUT /settings, or remove the variable`
        )
    })
  )
  yield* refresh
  yield* follow(
    sql,
    Effect.flatMap(version, (newest) => (newest === view.version() ? Effect.void : Effect.asVoid(refresh)))
  )

  return RunningSettings.of({
    now: view.now,
    watch: view.watch,
    read: orUnavailable(refresh),
    claim,
    described: (texts) => SettingRows.described(texts, seal.mark),
    change: Effect.fn("RunningSettings.change")(
      function* (expected: number, texts: Texts, by: ChangedBy) {
        yield* claim(expected)
        yield* write(texts, by)
        return yield* readRows
      },
      sql.withTransaction,
      orUnavailable
    ),
    history: Effect.fn("RunningSettings.history")(history, orUnavailable)
  })
})

const initially: ChangedBy = { by: environment, reason: "initial value from the environment of a node" }

/** Runs `poll` after each notification and every 500 ms. A failing database keeps the last values. */
const follow = Effect.fnUntraced(function* (sql: PgClient.PgClient, poll: Effect.Effect<void, SqlError>) {
  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notices = yield* sql.listen(SettingRows.channel)
      while (true) {
        yield* Queue.take(notices)
        yield* poll
      }
    })
  )
  const again = <E>(work: Effect.Effect<void, E>, every: "1 second" | "500 millis") =>
    work.pipe(
      Effect.catchCause((cause) =>
        DatabaseOutage.report(cause, Effect.logWarning("the settings could not be read; the last ones apply", cause))
      ),
      Effect.repeat(Schedule.spaced(every)),
      Effect.forkScoped
    )
  yield* again(listen, "1 second")
  yield* again(GivenUp.afterByMachineClock("2 seconds")(poll), "500 millis")
})

/** Memory needs no key. */
const markInMemory = (secret: Redacted.Redacted) => hashOf(secret).slice(0, 16)

const makeMemory = Effect.fnUntraced(function* (options: Options) {
  const { table, transaction } = yield* MemoryTables
  const changes = table<SettingChange>()
  const texts = table<Redacted.Redacted>()
  const view = SettingValues.view(options.defaults ?? {})
  const snapshot = (): Snapshot => {
    const stored = new Map<Field, Stored>()
    for (const { changedAtMillis, changedBy, fingerprint, name } of changes.rows())
      stored.set(fieldOf(name)!, { text: texts.get(name)!, fingerprint, changedBy, changedAtMillis })
    return { version: changes.rows().length, stored }
  }
  const refresh = Effect.tap(Effect.sync(snapshot), ({ stored, version }) => view.replace(version, stored))
  const write = Effect.fnUntraced(function* (given: Texts, { by, reason }: ChangedBy) {
    const changedAtMillis = yield* Clock.currentTimeMillis
    for (const field of fields) {
      const secret = given[field]
      if (secret === undefined) continue
      const { isSecret, name } = definitions[field]
      const number = changes.rows().length + 1
      const value = isSecret ? null : Redacted.value(secret)
      const fingerprint = isSecret ? markInMemory(secret) : null
      changes.set(String(number), { number, name, value, fingerprint, changedBy: by, changedAtMillis, reason })
      texts.set(name, secret)
    }
  })
  const claim = (version: number) =>
    Effect.suspend(() => {
      const before = snapshot()
      return before.version === version
        ? Effect.succeed(before)
        : Effect.fail(new VersionDiffers({ version: before.version }))
    })
  yield* transaction(write(options.given, initially))
  yield* refresh
  return RunningSettings.of({
    now: view.now,
    watch: view.watch,
    read: refresh,
    claim,
    described: (given) => SettingRows.described(given, markInMemory),
    change: Effect.fnUntraced(function* (version: number, given: Texts, by: ChangedBy) {
      yield* claim(version)
      yield* write(given, by)
      return snapshot()
    }, transaction),
    history: (before, limit) =>
      Effect.sync(() =>
        changes
          .rows()
          .filter(({ number }) => number < before)
          .toReversed()
          .slice(0, limit)
      )
  })
})
