/** `GET /health/live` and `/health/ready`, on every listener. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"

export const Health = Schema.Struct({
  $schema: SchemaLink,
  status: Schema.Literals(["live", "ready"])
}).annotate({ identifier: "Health" })

/** Live: the process answers. Ready: a command went through every shard of this node in the last seconds. */
export const HealthGroup = HttpApiGroup.make("health").add(
  HttpApiEndpoint.get("live", "/health/live", { success: Health }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Health, error: ServiceUnavailable })
)
