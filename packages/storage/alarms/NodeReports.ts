/** Reports of nodes: each node that can push alarms, and the conditions of its machine and files. */
import { of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Schema } from "effect"

/** A condition of a node's machine or files that needs an operator. */
export const NodeCondition = Schema.Struct({
  kind: Schema.Literals(["DISK_FULL", "CERTIFICATE_EXPIRING"]),
  /** File or directory that the condition concerns. */
  path: Schema.String,
  reason: Schema.String,
  sinceMillis: Schema.NullOr(Schema.Number)
})
export type NodeCondition = typeof NodeCondition.Type

const reportTable = Table.make("node_report", {
  name: text,
  kind: of("text", Schema.Literals(["runner", "gateway"])),
  conditions: of("jsonb", Schema.Array(NodeCondition)),
  reportedAtMillis: timestamptz
})
export type NodeReport = Table.Row<typeof reportTable>

export class NodeReports extends Context.Service<
  NodeReports,
  {
    /** Replaces the node's report. */
    readonly report: (report: Omit<NodeReport, "reportedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Removes the report of a stopping node, and all reports older than a day. */
    readonly remove: (name: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns the reports of the last minute, by name. A node reports every 5 s. */
    readonly recent: Effect.Effect<ReadonlyArray<NodeReport>, DatabaseUnavailable>
  }
>()("@venue/storage/alarms/NodeReports") {
  static readonly layer = Store.layer(NodeReports, () => make)
  static readonly layerMemory = Store.layerMemory(NodeReports, () => make)
}

const make = Effect.gen(function* () {
  const reports = yield* Store.make(reportTable, { key: ["name"] })
  return NodeReports.of({
    report: Effect.fn("NodeReports.report")(function* (report: Omit<NodeReport, "reportedAtMillis">) {
      yield* reports.put({ ...report, reportedAtMillis: yield* Clock.currentTimeMillis })
    }),
    remove: Effect.fn("NodeReports.remove")(function* (name: string) {
      yield* reports.remove({ name })
      for (const old of yield* reports.list({
        reportedAtMillis: Store.atMost((yield* Clock.currentTimeMillis) - dayMillis)
      }))
        yield* reports.remove({ name: old.name })
    }),
    recent: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      reports.list({ reportedAtMillis: Store.above(now - recentMillis) })
    )
  })
})

const recentMillis = 60_000
const dayMillis = 86_400_000
