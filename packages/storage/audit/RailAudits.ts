/** What an auditor found of each rail: what it held, and what it was to hold by the auditor's own books. */
import { RailName } from "@venue/domain/Rail"
import { bigint, integer, numeric, of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

const auditTable = Table.make("rail_audit", {
  rail: of("text", RailName),
  /** Of the holding. */
  number: bigint,
  /** It was held; all money counts 1e-6 USD. */
  amount: numeric,
  /** It was to be held. */
  books: numeric,
  /** So much of that has come in, and nobody was credited it. */
  uncredited: numeric,
  position: text,
  asOfMillis: timestamptz,
  /** So many holdings in a row, the last of them this one, were not what they were to be. */
  times: integer
})
export type RailAudit = Table.Row<typeof auditTable>

export class RailAudits extends Context.Service<
  RailAudits,
  {
    /** The newest of each rail, in the order of their names. */
    readonly newest: Effect.Effect<ReadonlyArray<RailAudit>, DatabaseUnavailable>
    /** One that is of an older holding, or of the same, changes nothing. */
    readonly record: (audits: ReadonlyArray<RailAudit>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/audit/RailAudits") {
  static readonly layer: Layer.Layer<RailAudits, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    RailAudits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const conflict = `on conflict (rail) do update set
        number = excluded.number, amount = excluded.amount, books = excluded.books, uncredited = excluded.uncredited,
        position = excluded.position, as_of = excluded.as_of, times = excluded.times
        where rail_audit.number < excluded.number`
      return RailAudits.of({
        newest: orUnavailable(auditTable.all(sql`select ${auditTable.columns} from rail_audit order by rail`)),
        record: Effect.fn("RailAudits.record")(function* (audits: ReadonlyArray<RailAudit>) {
          const { conflict: otherwise, insert, rows } = auditTable.batch(audits, conflict)
          if (rows > 0) yield* sql`${insert(0, rows)} ${otherwise}`
        }, orUnavailable)
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<RailAudits> = Layer.effect(
    RailAudits,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const audits = table<RailAudit>()
      return RailAudits.of({
        newest: Effect.sync(() => audits.rows().toSorted((a, b) => (a.rail < b.rail ? -1 : 1))),
        record: (found) =>
          transaction(
            Effect.sync(() => {
              for (const audit of found) {
                if (audit.number > (audits.get(audit.rail)?.number ?? 0)) audits.set(audit.rail, audit)
              }
            })
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
