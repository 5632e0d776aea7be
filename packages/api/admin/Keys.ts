/** Permissions of an API key that only an operator can grant. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /keys/grant` and `POST /keys/withdraw`. */
export const KeyPermission = Schema.Struct({
  $schema: SchemaLink,
  public_key: Schema.String.annotate({
    description: "Public key of the API key.",
    examples: ["pub_3f1d8c5b7a9e4d2c8b6a0f1e2d3c4b5a"]
  }),
  permission: Schema.Literal("register_user").annotate({ description: "Permission to grant or revoke." }),
  reason: Reason
}).annotate({ identifier: "KeyPermission" })

const deciding = {
  payload: KeyPermission,
  success: HttpApiSchema.NoContent,
  error: [NotFound, ServiceUnavailable]
} as const

export const KeysGroup = HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.post("grant", "/keys/grant", deciding).annotateMerge(
      operation(
        "Grant a key permission",
        "Gives an API key a permission that only operators can grant. Refused with 404 for an unknown key."
      )
    ),
    HttpApiEndpoint.post("withdraw", "/keys/withdraw", deciding).annotateMerge(
      operation(
        "Revoke a key permission",
        "Revokes an operator-granted permission of an API key. Refused with 404 for an unknown key."
      )
    )
  )
  .middleware(OperatorOnly)
