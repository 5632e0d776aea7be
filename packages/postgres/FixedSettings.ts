/** Settings whose values are fixed when a venue starts for the first time. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { text } from "./Column.ts"
import * as DatabaseClaim from "./DatabaseClaim.ts"
import * as Migrations from "./Migrations.ts"
import * as Table from "./Table.ts"

const settingTable = Table.make("founding", { name: text, value: text })

/** The setting differs from its value at the first start; the journals depend on that value. */
export class SettingChanged extends Schema.TaggedError<SettingChanged>()("SettingChanged", {
  name: Schema.String,
  founded: Schema.String,
  current: Schema.String
}) {
  override get message(): string {
    const secret = /^the mark of (\w+)$/.exec(this.name)?.[1]
    const remedy =
      secret === undefined
        ? `set it to ${this.founded} again`
        : `put back the value of ${secret} from its backup, because no other value decrypts the stored secrets`
    return `${this.name} was ${this.founded} at the first start of this venue and cannot be changed to ${this.current}: ${remedy}`
  }
}

/** A value, or during a replacement several, of which a new venue stores the first. */
export type FixedValue = string | ReadonlyArray<string>

/** Stores the value at the first start. Fails if a later start uses another value. */
export const agree = Effect.fn("FixedSettings.agree")(function* (name: string, accepted: FixedValue) {
  const values = typeof accepted === "string" ? [accepted] : accepted
  const value = values[0]!
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into founding ${settingTable.values({ name, value })} on conflict do nothing`
  const [row] = yield* settingTable.all(sql`select ${settingTable.columns} from founding where name = ${name}`)
  if (!values.includes(row!.value))
    return yield* new SettingChanged({ name, founded: row!.value, current: values.join(" or ") })
})

/** Replaces the stored value. Returns whether it was replaced, and false if it is stored already. */
export const replace = Effect.fn("FixedSettings.replace")(function* (name: string, value: string) {
  const sql = yield* SqlClient.SqlClient
  const changed =
    yield* sql`update founding set value = ${value} where name = ${name} and value <> ${value} returning 1`
  return changed.length > 0
})

/** Returns whether the database holds a venue. Creates no table. */
export const isFounded = Effect.fn("FixedSettings.isFounded")(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`select from pg_class where oid = to_regclass('founding')`
  if (table === undefined) return false
  const [founded] = yield* sql`select from founding limit 1`
  return founded !== undefined
})

/** The database is empty although this venue was started before. */
export class DatabaseEmpty extends Schema.TaggedError<DatabaseEmpty>()("DatabaseEmpty", {}) {
  override get message(): string {
    return "the database is empty, although this venue was started before: restore its database, or remove the whole data directory to start a new venue"
  }
}

/** Takes the database lock exclusively and checks the fixed settings before the layers above are built. */
export const layerAlone = (
  settings: Readonly<Record<string, FixedValue>>,
  { isKnown = false }: { readonly isKnown?: boolean } = {}
) => layer("alone", settings, isKnown)

/** Takes the database lock shared with the other nodes of a cluster, and checks the fixed settings. */
export const layerShared = (
  settings: Readonly<Record<string, FixedValue>>,
  { isKnown = false }: { readonly isKnown?: boolean } = {}
) => layer("shared", settings, isKnown)

const layer = (wanted: DatabaseClaim.Wanted, settings: Readonly<Record<string, FixedValue>>, isKnown: boolean) =>
  Layer.effect(
    DatabaseClaim.DatabaseClaim,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const claim = yield* DatabaseClaim.hold(wanted)
      const [founded] = yield* sql`select from founding limit 1`
      if (isKnown && founded === undefined) return yield* new DatabaseEmpty()
      for (const [name, value] of Object.entries(settings)) yield* agree(name, value)
      return claim
    })
  ).pipe(Layer.provide(Migrations.layer))
