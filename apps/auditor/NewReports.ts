/** The reports of desks that were not compared yet, each once. */
import { type DeskReport, DeskReports, type TraderReport } from "@venue/storage/audit/DeskReports"
import { Clock, Effect, identity } from "effect"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { keptMillis } from "./Past.ts"

export interface NewReports {
  readonly read: Effect.Effect<ReadonlyArray<TraderReport>, DatabaseUnavailable>
  /** Marks the reports of the last read as compared. Without it the next read returns them again. */
  readonly compared: () => void
}

export const make = Effect.gen(function* () {
  const { since } = yield* DeskReports
  const comparedMillis = new Map<string, number>()
  // A desk without traders writes no report: its last one may be of rows from long ago.
  let newestMillis = (yield* Clock.currentTimeMillis) - keptMillis
  let reports: ReadonlyArray<DeskReport> = []
  return identity<NewReports>({
    // The clocks of two desks differ a little, and a report may commit after one with a later time.
    read: Effect.suspend(() =>
      Effect.map(since(newestMillis - overlapMillis), (found) => {
        reports = found.filter(({ desk, reportedAtMillis }) => comparedMillis.get(desk) !== reportedAtMillis)
        return reports.flatMap(({ traders }) => traders)
      })
    ),
    compared: () => {
      for (const { desk, reportedAtMillis } of reports) {
        comparedMillis.set(desk, reportedAtMillis)
        newestMillis = Math.max(newestMillis, reportedAtMillis)
      }
      reports = []
    }
  })
})

/** Longer than a report takes to commit, and than the clocks of two nodes differ. */
const overlapMillis = 10_000
