/** A venue of one process: when it starts, every gateway there ever was is dead. */
import { Context } from "effect"

/** Desks that were up in this process, where it is the whole venue; undefined where gateways of other nodes may live. */
export const SingleProcess = Context.Reference<Set<string> | undefined>("@venue/cluster/SingleProcess", {
  defaultValue: () => undefined
})
