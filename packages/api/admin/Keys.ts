/** What an operator lets an API key do beyond what its user may choose. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

export const KeyPermission = Schema.Struct({
  $schema: SchemaLink,
  public_key: Schema.String,
  permission: Schema.Literal("register_user"),
  reason: Reason
}).annotate({ identifier: "KeyPermission" })

const deciding = {
  payload: KeyPermission,
  success: HttpApiSchema.NoContent,
  error: [NotFound, ServiceUnavailable]
} as const

export const KeysGroup = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("grant", "/keys/grant", deciding),
    HttpApiEndpoint.post("withdraw", "/keys/withdraw", deciding)
  )
  .middleware(OperatorOnly)
