/** Order in which nodes begin to send alarms while the database, and with it the lease, is out. */
import type { NodeReport } from "@venue/storage/alarms/NodeReports"

/** Delay in milliseconds between two nodes of the order. */
const apartMillis = 20_000

/**
 * Returns the time in milliseconds after which a node sends: at once for the last holder of the lease, 20 s later for
 * the first of the other gateways by name, and so on; the runners follow the gateways. No node can know whether the
 * nodes before it still run.
 */
export const waitMillis = (
  own: string,
  holder: string,
  nodes: ReadonlyArray<Pick<NodeReport, "name" | "kind">>
): number => {
  if (own === holder) return 0
  const others = nodes.filter(({ name }) => name !== holder).toSorted(byRank)
  const at = others.findIndex(({ name }) => name === own)
  return apartMillis * (at === -1 ? others.length + 1 : at + 1)
}

const byRank = (a: Pick<NodeReport, "name" | "kind">, b: Pick<NodeReport, "name" | "kind">): number =>
  a.kind === b.kind ? (a.name < b.name ? -1 : 1) : a.kind === "gateway" ? -1 : 1
