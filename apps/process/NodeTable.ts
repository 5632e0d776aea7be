/** Table of nodes that `npm run status` and `npm run cluster -- status` print. */
import type { Node } from "@venue/storage/nodes/Nodes"

/** Returns the table's lines. `pids` has the last process that a local supervisor started, by name. */
export const lines = (
  nodes: ReadonlyArray<Node>,
  nowMillis: number,
  pids?: ReadonlyMap<string, number>
): ReadonlyArray<string> => {
  const pidOf = ({ isLiving, name }: Node) => (isLiving ? String(pids?.get(name) ?? "-") : "-")
  const ifLocal = (cell: string) => (pids === undefined ? [] : [cell])
  const headings = ["NODE", "KIND", "ADDRESS", ...ifLocal("PID"), "RELEASE", "WANTED", "READY", "SHARDS", "SEEN"]
  const cells = nodes.map((node) => {
    const { address, isLiving, isReady, kind, lastSeenAtMillis, name, release, shards, wanted } = node
    return [
      name,
      kind,
      address,
      ...ifLocal(pidOf(node)),
      release,
      wanted,
      isLiving ? (isReady ? "yes" : "no") : stateOf(node),
      // A gateway has no entities.
      kind === "runner" ? String(shards) : "-",
      agoOf(Math.max(0, nowMillis - lastSeenAtMillis))
    ]
  })
  const widths = headings.map((heading, column) => Math.max(heading.length, ...cells.map((row) => row[column]!.length)))
  return [headings, ...cells].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}

/** `left`: the node left the venue in order. `lost`: the node stopped renewing its row. */
const stateOf = ({ leftAtMillis }: Node): string => (leftAtMillis === null ? "lost" : "left")

const agoOf = (millis: number): string => {
  const seconds = millis / 1_000
  if (seconds < 60) return `${seconds.toFixed(1)} s ago`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`
}
