/** Desks' reports to an auditor about their traders' accounts. Each report replaces the desk's previous one. */
import { of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Schema } from "effect"

/** Symbol, signed lots, cash from trades, cost of the position, fees paid, funding received, rewards received. */
const Position = Schema.Tuple([
  Schema.String,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite,
  Schema.Finite
])

/** `deposit` and `referralRewards` are decimal text; positions use the units of their market's log. */
const AccountReport = Schema.Struct({
  accountId: Schema.String,
  deposit: Schema.String,
  referralRewards: Schema.String,
  positions: Schema.Array(Position)
})

/**
 * A trader's accounts as of row `seq` in the trader's journal. `markets` holds, for each market, the last row that
 * the accounts fully include.
 */
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
    /** Returns the last report of each desk that has reported since this time, oldest first. */
    readonly since: (millis: number) => Effect.Effect<ReadonlyArray<DeskReport>, DatabaseUnavailable>
  }
>()("@venue/storage/audit/DeskReports") {
  static readonly layer = Store.layer(DeskReports, () => make)
  static readonly layerMemory = Store.layerMemory(DeskReports, () => make)
}

const make = Effect.gen(function* () {
  const reports = yield* Store.make(reportTable, { key: ["desk"], order: { reportedAtMillis: "asc", desk: "asc" } })
  return DeskReports.of({
    write: Effect.fn("DeskReports.write")(function* (desk: string, traders: ReadonlyArray<TraderReport>) {
      yield* reports.put({ desk, reportedAtMillis: yield* Clock.currentTimeMillis, traders })
    }),
    since: Effect.fn("DeskReports.since")((millis: number) => reports.list({ reportedAtMillis: Store.above(millis) }))
  })
})
