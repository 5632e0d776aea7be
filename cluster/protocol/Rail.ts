/** Messages to the entity of a rail, whose address is the name of the rail. */
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

export const Rail = Entity.make("Rail", [
  /** Starts the entity unless it runs, and makes it poll at once instead of at its next interval. */
  Rpc.make("Wake")
]).annotate(ClusterSchema.ClientTracingEnabled, false)
