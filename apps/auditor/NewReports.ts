/** The reports of desks that were not compared yet, each once. */
import { DeskReports, type TraderReport } from "@venue/storage/audit/DeskReports"
import { Effect } from "effect"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"

export const make = Effect.map(
  DeskReports,
  ({ since }): Effect.Effect<ReadonlyArray<TraderReport>, DatabaseUnavailable> => {
    const readMillis = new Map<string, number>()
    let newestMillis = 0
    return Effect.gen(function* () {
      // The clocks of two desks differ a little, and a report may commit after one with a later time.
      const reports = (yield* since(newestMillis - overlapMillis)).filter(
        ({ desk, reportedAtMillis }) => readMillis.get(desk) !== reportedAtMillis
      )
      for (const { desk, reportedAtMillis } of reports) {
        readMillis.set(desk, reportedAtMillis)
        newestMillis = Math.max(newestMillis, reportedAtMillis)
      }
      return reports.flatMap(({ traders }) => traders)
    })
  }
)

/** Longer than a report takes to commit, and than the clocks of two nodes differ. */
const overlapMillis = 10_000
