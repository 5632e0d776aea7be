/**
 * What desks say their accounts have, for whoever audits them: each desk answers the last audit with one report, which takes
 * the place of the one before.
 */
import { of, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

/** Signed lots, cash of trades, cost of what is held, fees paid, funding received, rewards received. */
const Position = Schema.Tuple([
  Schema.String,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite
])

/** Money of its own is decimal text, and whatever stands in a market counts as its log does. */
const AccountReport = Schema.Struct({
  accountId: Schema.String,
  deposit: Schema.String,
  referralRewards: Schema.String,
  positions: Schema.Array(Position)
})

/** All of it holds at these rows: of the trader's own journal, and of each market of which all is known. */
export const TraderReport = Schema.Struct({
  userId: Schema.String,
  seq: Schema.Int,
  markets: Schema.Array(Schema.Tuple([Schema.String, Schema.Int])),
  accounts: Schema.Array(AccountReport)
})
export type TraderReport = typeof TraderReport.Type

const reportTable = Table.make("desk_report", {
  desk: text,
  reportedAtMillis: timestamptz,
  traders: of("jsonb", Schema.Array(TraderReport))
})
export type DeskReport = Table.Row<typeof reportTable>

export class DeskReports extends Context.Service<
  DeskReports,
  {
    readonly write: (desk: string, traders: ReadonlyArray<TraderReport>) => Effect.Effect<void, DatabaseUnavailable>
    /** Those that were written later, each desk's last. */
    readonly since: (millis: number) => Effect.Effect<ReadonlyArray<DeskReport>, DatabaseUnavailable>
  }
>()("@venue/storage/audit/DeskReports") {
  static readonly layer: Layer.Layer<DeskReports, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    DeskReports,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return DeskReports.of({
        write: Effect.fn("DeskReports.write")(function* (desk: string, traders: ReadonlyArray<TraderReport>) {
          const reportedAtMillis = yield* Clock.currentTimeMillis
          yield* sql`
            insert into desk_report ${reportTable.values({ desk, reportedAtMillis, traders })}
            on conflict (desk) do update set reported_at = excluded.reported_at, traders = excluded.traders`
        }, orUnavailable),
        since: Effect.fn("DeskReports.since")(
          (millis: number) =>
            reportTable.all(sql`
              select ${reportTable.columns} from desk_report
              where reported_at > ${new Date(millis)} order by reported_at`),
          orUnavailable
        )
      })
    })
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<DeskReports> = Layer.effect(
    DeskReports,
    Effect.gen(function* () {
      const { table, transaction } = yield* MemoryTables
      const reports = table<DeskReport>()
      return DeskReports.of({
        write: (desk, traders) =>
          transaction(
            Effect.map(Clock.currentTimeMillis, (reportedAtMillis) =>
              reports.set(desk, { desk, reportedAtMillis, traders })
            )
          ),
        since: (millis) =>
          Effect.sync(() =>
            reports
              .rows()
              .filter(({ reportedAtMillis }) => reportedAtMillis > millis)
              .toSorted((a, b) => a.reportedAtMillis - b.reportedAtMillis)
          )
      })
    })
  ).pipe(Layer.provide(MemoryTables.layer))
}
