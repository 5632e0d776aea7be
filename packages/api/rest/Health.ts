/** `GET /health/live` and `/health/ready`, on every listener. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import { operation } from "../Operation.ts"

export const Health = Schema.Struct({
  $schema: SchemaLink,
  status: Schema.Literals(["live", "ready"]).annotate({
    description: "`live` if the process answers; `ready` if commands also complete on this node."
  })
}).annotate({ identifier: "Health" })

/** Live: the process answers. Ready: a command went through every shard of this node in the last seconds. */
export const HealthGroup = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("live", "/health/live", { success: Health }).annotateMerge(
    operation("Check liveness", "Returns 200 while the process answers. No credentials are needed.")
  ),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Health, error: ServiceUnavailable }).annotateMerge(
    operation(
      "Check readiness",
      "Returns 200 if a command went through every shard of this node in the last seconds, and 503 otherwise. " +
        "No credentials are needed."
    )
  )
)
