/** Desks' reports that are not compared yet. Each report is returned once. */
import { type DeskReport, DeskReports, type TraderReport } from "@venue/storage/audit/DeskReports"
import { Clock, Effect, identity } from "effect"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { keptMillis } from "./Past.ts"

export interface NewReports {
  readonly read: Effect.Effect<ReadonlyArray<TraderReport>, DatabaseUnavailable>
  /** Marks the last read's reports as compared. Without this call, the next read returns them again. */
  readonly compared: () => void
}

export const make = Effect.gen(function* () {
  const { since } = yield* DeskReports
  const comparedMillis = new Map<string, number>()
  // Skips older reports. A desk without traders writes no new report, so its last one might refer to rows that are no
  // longer kept.
  let newestMillis = (yield* Clock.currentTimeMillis) - keptMillis
  let reports: ReadonlyArray<DeskReport> = []
  return identity<NewReports>({
    // Reads overlap, because desks' clocks differ and a report might commit after another report with a later time.
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

/** Upper bound for a report's commit time plus the clock difference between two nodes. */
const overlapMillis = 10_000
