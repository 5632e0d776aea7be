/** `GET /nodes`: the venue's processes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RowCount } from "../Body.ts"
import { count, instant, text, truth } from "../Member.ts"
import { operation } from "../Operation.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly } from "./Operator.ts"

/** Process of the venue. */
export const NodeBody = Schema.Struct({
  name: text("Name of the node"),
  kind: Schema.Literals(["runner", "gateway"]).annotate({ description: "Kind of the node." }),
  address: text(
    "Address that the node has reported: the address of a runner for other nodes, or of a gateway's trade socket"
  ),
  release: text("Release of the node"),
  is_living: truth("Whether the node was seen in the last 5 s and has not left"),
  is_ready: truth("Whether the node has reported that it is ready"),
  shards: count("Number of shards of markets and desks that the node has; 0 for a gateway"),
  wanted: Schema.Literals(["serving", "draining", "restarting"]).annotate({
    description:
      "State that an operator requested: a node that is `draining` or `restarting` hands over its work and exits."
  }),
  started_at: instant("Time at which the node started"),
  last_seen_at: instant("Time at which the node was last seen; a node reports every second"),
  silent_seconds: Schema.Finite.annotate({ description: "Time since the node was last seen, in seconds." }),
  left_at: Schema.NullOr(instant("Time at which the node left", "; null while it has not left"))
}).annotate({ identifier: "NodeBody", description: "Process of the venue." })

/** Response body of `GET /nodes`. */
export const NodeList = Schema.Struct({
  data: Schema.Array(NodeBody).annotate({
    description:
      "Nodes, ordered by name, including nodes that left in the last hour; empty if the venue is a single process."
  }),
  count: RowCount
}).annotate({ identifier: "NodeList" })

export const NodesGroup = HttpApiGroup.make("nodes")
  .add(
    HttpApiEndpoint.get("list", "/nodes", { success: NodeList, error: ServiceUnavailable }).annotateMerge(
      operation("List nodes", "Returns the runners and gateways with their readiness, shards and release.")
    )
  )
  .middleware(OperatorOnly)
