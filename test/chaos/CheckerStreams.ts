/** Journal checks: each stream has one history without gaps, and no older epoch writes after a newer one. */
import type { Finding, Story } from "./CheckerStory.ts"
import type { EpochRow } from "./HistoryLine.ts"

export const findings = ({ lines }: Story): ReadonlyArray<Finding> => {
  const last = lines.findLast((line) => line.kind === "streams")
  if (last === undefined) return []
  const streams = new Map<string, Array<EpochRow>>()
  for (const row of last.rows) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row])
  return [...streams].flatMap(([stream, rows]) => ofStream(stream, rows))
}

function ofStream(stream: string, rows: ReadonlyArray<EpochRow>): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  let next = 1
  for (const { count, epoch, first, last } of rows.toSorted((a, b) => a.epoch - b.epoch)) {
    if (first < next) {
      found.push({ rule: "I4", text: `${stream}: epoch ${epoch} begins at ${first}, older rows reach ${next - 1}` })
    } else if (first > next) {
      found.push({ rule: "I2", text: `${stream}: rows ${next} to ${first - 1} are missing` })
    }
    if (count !== last - first + 1) {
      found.push({ rule: "I2", text: `${stream}: epoch ${epoch} has ${count} rows from ${first} to ${last}` })
    }
    next = Math.max(next, last + 1)
  }
  return found
}
