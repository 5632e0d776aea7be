/** Dismissal of nodes that do not return. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /nodes/dismiss`. */
export const DismissNode = Schema.Struct({
  $schema: SchemaLink,
  name: Schema.String.annotate({ description: "Name of the node, 1 to 64 characters.", examples: ["runner-3"] }).check(
    Text.atLeast(1),
    Text.atMost(64)
  ),
  reason: Reason
}).annotate({ identifier: "DismissNode" })

export const LostNodesGroup = HttpApiGroup.make("lostNodes")
  .add(
    HttpApiEndpoint.post("dismiss", "/nodes/dismiss", {
      payload: DismissNode,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Dismiss a lost node",
        "Removes a node that does not return, which ends its NODE_LOST alarm. Refused with 404 for an unknown node, " +
          "and with 409 for a node that serves; drain that node instead."
      )
    )
  )
  .middleware(OperatorOnly)
