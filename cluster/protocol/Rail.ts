/** What may be asked of the entity of a rail, whose address is the rail's name. */
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

export const Rail = Entity.make("Rail", [
  /** There may be something to do: it looks at once, and starts where it is not up. It would have looked in any case. */
  Rpc.make("Wake")
]).annotate(ClusterSchema.ClientTracingEnabled, false)
