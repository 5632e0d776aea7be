/** Marks a single-process venue, in which every gateway of an earlier process is dead at startup. */
import { Context } from "effect"

/**
 * Ids of the desks that have run in this process, or undefined on a cluster, where gateways on other nodes can still
 * be alive.
 */
export const SingleProcess = Context.Reference<Set<string> | undefined>("@venue/cluster/SingleProcess", {
  defaultValue: () => undefined
})
