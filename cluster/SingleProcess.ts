/** Marks a single-process venue. When it starts, every gateway of an earlier process is known to be dead. */
import { Context } from "effect"

/** Ids of the desks that have run here, or undefined in a cluster, where other nodes' gateways can be alive. */
export const SingleProcess = Context.Reference<Set<string> | undefined>("@venue/cluster/SingleProcess", {
  defaultValue: () => undefined
})
