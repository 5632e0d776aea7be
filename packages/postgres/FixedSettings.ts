/** Settings that may not change once a venue has been started with them. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { text } from "./Column.ts"
import * as DatabaseClaim from "./DatabaseClaim.ts"
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

const layer = (wanted: DatabaseClaim.Wanted, settings: Readonly<Record<string, string>>, isKnown: boolean) =>
  Layer.effect(
    DatabaseClaim.DatabaseClaim,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const claim = yield* DatabaseClaim.hold(wanted)
      const [founded] = yield* sql`select from founding limit 1`
      if (isKnown && founded === undefined) return yield* new DatabaseEmpty()
      for (const [name, asked] of Object.entries(settings)) yield* agree(name, asked)
      return claim
    })
  ).pipe(Layer.provide(Migrations.layer))
