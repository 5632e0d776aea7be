/** Rows of the running settings: their current values, which are sealed if secret, and all changes. */
import { definitions, type Field, fieldOf, fields } from "@venue/domain/RunningSettings"
import { bigint, bytea, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { Seal } from "@venue/postgres/Seal"
import * as Table from "@venue/postgres/Table"
import { Clock, Effect, Redacted, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Stored, Texts } from "./SettingValues.ts"

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

/** Reads and writes the rows of both tables. */
export const of = (sql: SqlClient.SqlClient, { mark, open, seal }: Seal["Service"]) => {
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
  const history = (before: number, limit: number) =>
    changeTable.all(sql`
      select ${changeTable.columns} from setting_change
      where number < ${before} order by number desc limit ${limit}`)
  return { version, readRows, write, history }
}

/** Returns texts by name, with a fingerprint in place of each secret. */
export const described = (texts: Texts, mark: Seal["Service"]["mark"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = texts[field]
      if (text === undefined) return []
      const { isSecret, name } = definitions[field]
      return [[name, isSecret ? mark(text, sealName(name)) : Redacted.value(text)]]
    })
  )

const numbers = changeTable.pick("number")
/** Channel of the notifications about changes. */
export const channel = "running_setting"
/** Returns the name for which the secret of a setting is sealed. */
export const sealName = (name: string) => `setting ${name}`
