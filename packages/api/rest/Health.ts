/** `GET /health/live` and `GET /health/ready`, served on every listener. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import { operation } from "../Operation.ts"

/** Response body of `GET /health/live` and `GET /health/ready`. */
export const Health = Schema.Struct({
  $schema: SchemaLink,
  status: Schema.Literals(["live", "ready"]).annotate({
    description: "Status: `live` if the process responds, `ready` if commands complete on this node."
  }),
  release: Schema.String.annotate({ description: "Release that this node runs, such as `0.1.0`." }),
  simulated_rails: Schema.optionalKey(
    Schema.Array(RailName).annotate({
      description: "Rails that are simulated and move no money. Present only if there is such a rail."
    })
  )
}).annotate({ identifier: "Health" })

/** Health checks. Live: the process responds. Ready: each shard of this node ran a command in the last few seconds. */
export const HealthGroup = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("live", "/health/live", { success: Health }).annotateMerge(
    operation("Check liveness", "Returns 200 while the process responds. No credentials are needed.")
  ),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Health, error: ServiceUnavailable }).annotateMerge(
    operation(
      "Check readiness",
      "Returns 200 if a command passed through every shard of this node in the last few seconds, and 503 otherwise. " +
        "No credentials are needed."
    )
  )
)
