/** Settings that operators change while the venue runs, in a table that every node follows. */
import { PgClient } from "@effect/sql-pg"
import { definitions, type Field, fieldOf, fields } from "@venue/domain/RunningSettings"
import { bigint, bytea, orNull, text, timestamptz } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import { hashOf } from "@venue/postgres/SecretHash"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Queue, Redacted, Schedule, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import * as SettingValues from "./SettingValues.ts"
import type { Stored, Texts, Values } from "./SettingValues.ts"

const changeTable = Table.make("setting_change", {
  number: bigint,
  name: text,
  value: orNull(text),
  fingerprint: orNull(text),
  changedBy: text,
  changedAtMillis: timestamptz,
  reason: text
})
export type SettingChange = Table.Row<typeof changeTable>

const currentTable = Table.make("running_setting", {
  name: text,
  number: bigint,
  value: orNull(text),
  sealedValue: orNull(bytea)
})
const current = currentTable.with({
  changedBy: { schema: Schema.String, expression: "setting_change.changed_by" },
  changedAtMillis: {
    schema: Schema.Number,
    expression: "round(extract(epoch from setting_change.changed_at) * 1000)::float8"
  },
  fingerprint: { schema: Schema.NullOr(Schema.String), expression: "setting_change.fingerprint" }
})
const versions = Table.selection({
  version: { schema: Schema.Number, expression: "coalesce(max(setting_change.number), 0)::float8" }
})

/** The settings changed since the caller read this version. */
export class VersionDiffers extends Schema.TaggedError<VersionDiffers>()("VersionDiffers", {
  version: Schema.Number
}) {}

/** Author of values that a node found in its environment. */
export const environment = "environment"

export interface ChangedBy {
  readonly by: string
  readonly reason: string
}

export interface Snapshot {
  /** Number of the newest change; 0 before the first. */
  readonly version: number
  /** Settings with a stored value. */
  readonly stored: ReadonlyMap<Field, Stored>
}

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
    readonly read: Effect.Effect<Snapshot, DatabaseUnavailable>
    /**
     * Stores texts that `SettingValues.flawOf` accepts, and returns the new version. Within a transaction, the change
     * is announced on commit.
     */
    readonly change: (
      version: number,
      texts: Texts,
      by: ChangedBy
    ) => Effect.Effect<Snapshot, VersionDiffers | DatabaseUnavailable>
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
  const { readRows, version, write } = rowsOf(sql, yield* Seal)
  const view = SettingValues.view(options.defaults ?? {})
  const refresh = Effect.tap(readRows, (snapshot) => view.replace(snapshot.version, snapshot.stored))
  /** Writers take turns; readers are not blocked. */
  const lock = sql`lock table running_setting in exclusive mode`

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
    change: Effect.fn("RunningSettings.change")(
      function* (expected: number, texts: Texts, by: ChangedBy) {
        yield* lock
        const before = yield* version
        if (before !== expected) return yield* new VersionDiffers({ version: before })
        yield* write(texts, by)
        return yield* refresh
      },
      sql.withTransaction,
      orUnavailable
    ),
    history: Effect.fn("RunningSettings.history")(
      (before: number, limit: number) =>
        changeTable.all(sql`
          select ${changeTable.columns} from setting_change
          where number < ${before} order by number desc limit ${limit}`),
      orUnavailable
    )
  })
})

const initially: ChangedBy = { by: environment, reason: "initial value from the environment of a node" }

/** Reads and writes the rows of both tables. */
const rowsOf = (sql: PgClient.PgClient, { mark, open, seal }: Seal["Service"]) => {
  const version = Effect.map(versions.all(sql`select ${versions.columns} from setting_change`), ([row]) => row!.version)
  const readRows = Effect.gen(function* () {
    const newest = yield* version
    const rows = yield* current.all(sql`
      select ${current.columns} from running_setting join setting_change using (number)`)
    const stored = new Map<Field, Stored>()
    for (const { changedAtMillis, changedBy, fingerprint, name, sealedValue, value } of rows) {
      const field = fieldOf(name)
      if (field === undefined) continue
      const text = sealedValue === null ? Redacted.make(value!) : open(sealedValue, sealName(name))
      stored.set(field, { text, fingerprint, changedBy, changedAtMillis })
    }
    return { version: newest, stored }
  })
  const write = Effect.fnUntraced(function* (texts: Texts, { by, reason }: ChangedBy) {
    const changedAtMillis = yield* Clock.currentTimeMillis
    for (const field of fields) {
      const secret = texts[field]
      if (secret === undefined) continue
      const { isSecret, name } = definitions[field]
      const fingerprint = isSecret ? mark(secret, sealName(name)) : null
      const value = isSecret ? null : Redacted.value(secret)
      const change = { name, value, fingerprint, changedBy: by, changedAtMillis, reason }
      const sealedValue = isSecret ? seal(secret, sealName(name)) : null
      const [made] = yield* numbers.all(
        sql`insert into setting_change ${changeTable.values(change)} returning ${numbers.columns}`
      )
      yield* sql`
        insert into running_setting ${currentTable.values({ name, number: made!.number, value, sealedValue })}
        on conflict (name) do update set number = excluded.number, value = excluded.value, sealed_value = excluded.sealed_value`
    }
    yield* sql`select pg_notify(${channel}, '')`
  })
  return { version, readRows, write }
}

/** Runs `poll` after each notification and every 500 ms. A failing database keeps the last values. */
const follow = Effect.fnUntraced(function* (sql: PgClient.PgClient, poll: Effect.Effect<void, SqlError>) {
  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notices = yield* sql.listen(channel)
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

const numbers = changeTable.pick("number")
const channel = "running_setting"
const sealName = (name: string) => `setting ${name}`

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
      const fingerprint = isSecret ? hashOf(secret).slice(0, 16) : null
      changes.set(String(number), { number, name, value, fingerprint, changedBy: by, changedAtMillis, reason })
      texts.set(name, secret)
    }
  })
  yield* transaction(write(options.given, initially))
  yield* refresh
  return RunningSettings.of({
    now: view.now,
    watch: view.watch,
    read: refresh,
    change: Effect.fnUntraced(function* (version: number, given: Texts, by: ChangedBy) {
      const before = snapshot()
      if (before.version !== version) return yield* new VersionDiffers({ version: before.version })
      yield* write(given, by)
      return yield* refresh
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
