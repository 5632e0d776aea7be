/** Who did what: only ever added to, in the transaction of what was done. */
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { storable } from "@venue/postgres/Bulk"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import { millis } from "@venue/postgres/Millis"

export interface Deed {
  /** Past tense, such as `signed_in`. */
  readonly action: string
  /** A user's id, or `operator`. */
  readonly actor: string
  /** The id of whom it is about: a user, or an application, or a signing key; or the symbol of a contract. */
  readonly subject: string
  /** Ids and names; never a secret. */
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

export interface Recorded extends Deed {
  readonly recordedAtMillis: number
}

export class Audit extends Context.Service<
  Audit,
  {
    readonly record: (deed: Deed) => Effect.Effect<void, DatabaseUnavailable>
    /** The newest first, at most a hundred. */
    readonly about: (subject: string) => Effect.Effect<ReadonlyArray<Recorded>, DatabaseUnavailable>
  }
>()("@venue/storage/access/Audit") {
  static readonly layer: Layer.Layer<Audit, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Audit.of({
        record: Effect.fn("Audit.record")(function* ({ action, actor, facts, subject }: Deed) {
          const at = new Date(yield* Clock.currentTimeMillis)
          yield* sql`
            insert into audit (recorded_at, action, actor, user_id, facts)
            values (${at}, ${action}, ${storable(actor)}, ${storable(subject)}, ${storableJson(facts)}::jsonb)`
        }, orUnavailable),
        about: Effect.fn("Audit.about")(
          (subject: string) =>
            sql<Recorded>`
              select action, actor, user_id as subject, facts,
                ${sql.literal(millis("recorded_at"))} as "recordedAtMillis"
              from audit where user_id = ${storable(subject)} order by number desc limit ${maxListed}`,
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

/** JSON can write what no text of Postgres holds: the zero character, and half of a character of two. */
const storableJson = (facts: Deed["facts"]): string =>
  JSON.stringify(facts, (_, value) => (typeof value === "string" ? storable(value.toWellFormed()) : value))
