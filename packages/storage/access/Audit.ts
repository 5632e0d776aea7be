/**
 * Append-only audit log. Each entry has an actor, an action and a subject. An entry is written in the transaction of
 * its action; if a trader's journal records an operator's action, the entry is written with the journal row.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { named, of, storable, text, timestamptz } from "@venue/postgres/Column"
import * as Count from "@venue/postgres/Count"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { JournalRows } from "@venue/journal/JournalMemory"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { type Page, pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"

const auditTable = Table.make("audit", {
  recordedAtMillis: timestamptz,
  /** Verb in the past tense, such as `signed_in`. */
  action: text,
  /** User id or operator name. */
  actor: text,
  /** Id of a user, application or signing key, symbol of a contract, or year of the holiday calendar. */
  subject: named("user_id", text),
  /** Ids and names; never a secret. */
  facts: of(
    "jsonb",
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean, Schema.Null]))
  )
})

export type Recorded = Table.Row<typeof auditTable>
export type Deed = Omit<Recorded, "recordedAtMillis">

/** Members of entries; the start is inclusive, the end exclusive. */
export interface Filter extends Partial<Pick<Recorded, "action" | "actor" | "subject">> {
  readonly startMillis?: number | undefined
  readonly endMillis?: number | undefined
}

export class Audit extends Context.Service<
  Audit,
  {
    readonly record: (deed: Deed) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns a page of the entries that match every given member of the filter, newest first. */
    readonly page: (filter: Filter, page: Page) => Effect.Effect<ReadonlyArray<Recorded>, DatabaseUnavailable>
    readonly count: (filter: Filter) => Effect.Effect<number, DatabaseUnavailable>
    /** Returns the newest 100 entries about a subject, newest first. */
    readonly about: (subject: string) => Effect.Effect<ReadonlyArray<Recorded>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Audit") {
  static readonly layer: Layer.Layer<Audit, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Audit.of({
        record: Effect.fn("Audit.record")(function* (deed: Deed) {
          const recordedAtMillis = yield* Clock.currentTimeMillis
          yield* sql`insert into audit ${auditTable.values({ ...deed, recordedAtMillis })}`
        }, orUnavailable),
        page: Effect.fn("Audit.page")((filter: Filter, page: Page) => {
          const { limit, offset } = pageOf(page)
          return auditTable.all(sql`
            select ${auditTable.columns} ${matching(sql, filter)}
            order by number desc limit ${limit} offset ${offset}`)
        }, orUnavailable),
        count: Effect.fn("Audit.count")((filter: Filter) => Count.ofRows(sql, matching(sql, filter)), orUnavailable),
        about: Effect.fn("Audit.about")(
          (subject: string) =>
            auditTable.all(sql`
              select ${auditTable.columns} from audit
              where user_id = ${storable(subject)} order by number desc limit ${maxListed}`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Audit> = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const tables = yield* MemoryTables
      const recorded = tables.table<Recorded>()
      const taken = tables.table<number>()
      const { deeds } = yield* JournalRows
      const add = (row: Recorded) => recorded.set(String(recorded.rows().length), row)
      /** Appends the operator actions in journal rows written since the last call. */
      const catchUp = Effect.sync(() => {
        for (const { _tag, atMillis, ...deed } of deeds.slice(taken.get("") ?? 0)) {
          add({ ...deed, recordedAtMillis: atMillis })
        }
        taken.set("", deeds.length)
      })
      return Audit.of({
        record: (deed) =>
          Effect.andThen(catchUp, Clock.currentTimeMillis).pipe(
            Effect.map((recordedAtMillis) => add({ ...deed, recordedAtMillis })),
            tables.transaction
          ),
        page: (filter, page) =>
          Effect.map(catchUp, () => {
            const { limit, offset } = pageOf(page)
            return matchingOf(recorded.rows(), filter)
              .toReversed()
              .slice(offset, offset + limit)
          }).pipe(tables.transaction),
        count: (filter) =>
          Effect.map(catchUp, () => Count.ofMemory(matchingOf(recorded.rows(), filter))).pipe(tables.transaction),
        about: (subject) =>
          Effect.map(catchUp, () =>
            recorded
              .rows()
              .filter((deed) => deed.subject === subject)
              .toReversed()
              .slice(0, maxListed)
          ).pipe(tables.transaction)
      })
    })
  ).pipe(Layer.provide([MemoryTables.layer, JournalRows.layer]))
}

const maxListed = 100

const matching = (sql: SqlClient.SqlClient, { action, actor, endMillis, startMillis, subject }: Filter) =>
  sql`from audit where ${sql.and([
    ...(action === undefined ? [] : [sql`action = ${storable(action)}`]),
    ...(actor === undefined ? [] : [sql`actor = ${storable(actor)}`]),
    ...(subject === undefined ? [] : [sql`user_id = ${storable(subject)}`]),
    ...(startMillis === undefined ? [] : [sql`recorded_at >= ${new Date(startMillis)}`]),
    ...(endMillis === undefined ? [] : [sql`recorded_at < ${new Date(endMillis)}`])
  ])}`

const matchingOf = (rows: ReadonlyArray<Recorded>, filter: Filter): ReadonlyArray<Recorded> => {
  const { action, actor, endMillis = Infinity, startMillis = -Infinity, subject } = filter
  return rows.filter(
    (row) =>
      (action === undefined || row.action === action) &&
      (actor === undefined || row.actor === actor) &&
      (subject === undefined || row.subject === subject) &&
      row.recordedAtMillis >= startMillis &&
      row.recordedAtMillis < endMillis
  )
}
