/** Settings that may not change once a venue has been started with them. */
import { Deferred, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { advisoryLocks } from "./AdvisoryLocks.ts"
import { text } from "./Column.ts"
import * as Migrations from "./Migrations.ts"
import * as Table from "./Table.ts"

const settingTable = Table.make("founding", { name: text, value: text })

/** The venue was founded with another value; its journals depend on it. */
export class SettingChanged extends Schema.TaggedError<SettingChanged>()("SettingChanged", {
  name: Schema.String,
  founded: Schema.String,
  asked: Schema.String
}) {
  override get message(): string {
    return `${this.name} was ${this.founded} at the first start of this venue and cannot become ${this.asked}`
  }
}

/** Stores the value at the first start, and agrees with it at every later one. */
export const agree = Effect.fn("FixedSettings.agree")(function* (name: string, asked: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into founding ${settingTable.values({ name, value: asked })} on conflict do nothing`
  const [row] = yield* settingTable.all(sql`select ${settingTable.columns} from founding where name = ${name}`)
  if (row!.value !== asked) return yield* new SettingChanged({ name, founded: row!.value, asked })
})

const Shared = Schema.Literals(["alone", "shared"])

/**
 * Somebody else serves this database who cannot share it: a venue of one process takes the journals of any other for its
 * own, and they would be taken back for ever.
 */
export class DatabaseTaken extends Schema.TaggedError<DatabaseTaken>()("DatabaseTaken", { wanted: Shared }) {
  override get message(): string {
    return this.wanted === "shared"
      ? "a venue of one process is running on this database: stop it before nodes are started"
      : "another venue is running on this database"
  }
}

/** The database is an empty one, and that of a venue was expected. */
export class DatabaseEmpty extends Schema.TaggedError<DatabaseEmpty>()("DatabaseEmpty", {}) {
  override get message(): string {
    return "the database is empty, and this venue was started before: restore the one it had, or remove the whole data directory to begin a new venue"
  }
}

/** What comes after it is built only where the database is ours alone, and was founded as asked. */
export const layerAlone = (
  settings: Readonly<Record<string, string>>,
  { isKnown = false }: { readonly isKnown?: boolean } = {}
) => layer("alone", settings, isKnown)

/** The same of one node of many: they share the database with each other, and with no venue of one process. */
export const layerShared = (
  settings: Readonly<Record<string, string>>,
  { isKnown = false }: { readonly isKnown?: boolean } = {}
) => layer("shared", settings, isKnown)

const layer = (wanted: typeof Shared.Type, settings: Readonly<Record<string, string>>, isKnown: boolean) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* hold(wanted)
      const [founded] = yield* sql`select from founding limit 1`
      if (isKnown && founded === undefined) return yield* new DatabaseEmpty()
      for (const [name, asked] of Object.entries(settings)) yield* agree(name, asked)
    })
  ).pipe(Layer.provide(Migrations.layer))

/** The lock is a session's: it is taken again when the database has been away, for as long as this process lives. */
const hold = Effect.fnUntraced(function* (wanted: typeof Shared.Type) {
  const sql = yield* SqlClient.SqlClient
  const take = Effect.gen(function* () {
    const session = yield* sql.reserve
    const [row] = yield* session.executeValues(`select ${locks[wanted]}(${advisoryLocks.venue})`, [])
    if (row?.[0] !== true) return yield* new DatabaseTaken({ wanted })
    return session
  })
  const taken = yield* Deferred.make<void, SqlError | DatabaseTaken>()
  const held = take.pipe(
    Effect.tap(() => Deferred.succeed(taken, undefined)),
    Effect.flatMap((session) => Effect.forever(Effect.delay(session.executeValues("select 1", []), lookEvery))),
    Effect.scoped,
    Effect.tapCause((cause) => Deferred.failCause(taken, cause)),
    Effect.catchTag("DatabaseTaken", ({ message }) => Effect.logError(message)),
    Effect.ignore
  )
  yield* Effect.forkScoped(Effect.repeat(held, Schedule.spaced(lookEvery)))
  yield* Deferred.await(taken)
})

const locks = { alone: "pg_try_advisory_lock", shared: "pg_try_advisory_lock_shared" }
const lookEvery = "1 second"
