/** The audit log tells who did what: it only grows, in the transaction of what was done. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { named, of, storable, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const auditTable = Table.make("audit", {
  recordedAtMillis: timestamptz,
  /** It is in the past tense, such as `signed_in`. */
  action: text,
  /** It is a user's id, or `operator`. */
  actor: text,
  /** It is the id of whom this is about: a user, an application or a signing key; or it is the symbol of a contract, or a year of the calendar. */
  subject: named("user_id", text),
  /** These are ids and names, and never a secret. */
  facts: of(
    "jsonb",
    Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number, Schema.Boolean, Schema.Null]))
  )
})

export type Recorded = Table.Row<typeof auditTable>
export type Deed = Omit<Recorded, "recordedAtMillis">

export class Audit extends Context.Service<
  Audit,
  {
    readonly record: (deed: Deed) => Effect.Effect<void, DatabaseUnavailable>
    /** The newest come first; there are at most a hundred. */
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
      const deeds = tables.table<Recorded>()
      return Audit.of({
        record: (deed) =>
          tables.transaction(
            Effect.map(Clock.currentTimeMillis, (recordedAtMillis) =>
              deeds.set(String(deeds.rows().length), { ...deed, recordedAtMillis })
            )
          ),
        about: (subject) =>
          Effect.sync(() =>
            deeds
              .rows()
              .filter((deed) => deed.subject === subject)
              .toReversed()
              .slice(0, maxListed)
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}

const maxListed = 100
