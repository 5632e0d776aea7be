/** Reports of desks that are not compared yet, each once. */
import { type DeskReport, DeskReports, type TraderReport } from "@venue/storage/audit/DeskReports"
import { Clock, Effect, identity } from "effect"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { keptMillis } from "./Past.ts"

export interface NewReports {
  readonly read: Effect.Effect<ReadonlyArray<TraderReport>, DatabaseUnavailable>
  /** Marks the reports of the last read as compared; without this call, the next read returns them again. */
  readonly compared: () => void
}

export const make = Effect.gen(function* () {
  const { since } = yield* DeskReports
  const comparedMillis = new Map<string, number>()
  // Skips older reports: a desk without traders writes none, so its last report may be of forgotten rows.
  let newestMillis = (yield* Clock.currentTimeMillis) - keptMillis
  let reports: ReadonlyArray<DeskReport> = []
  return identity<NewReports>({
    // The clocks of desks differ, and a report may commit after one with a later time.
    read: Effect.suspend(() =>
      Effect.map(since(newestMillis - overlapMillis), (newest) => {
        reports = newest.filter(({ desk, reportedAtMillis }) => comparedMillis.get(desk) !== reportedAtMillis)
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

/** Upper bound of the commit time of a report and of the clock difference of two nodes. */
const overlapMillis = 10_000
