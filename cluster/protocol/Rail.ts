/** Messages to a rail entity, whose entity id is the rail's name. */
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

export const Rail = Entity.make("Rail", [
  /** Starts the entity if it is not running, and makes it poll immediately. */
  Rpc.make("Wake")
]).annotate(ClusterSchema.ClientTracingEnabled, false)
