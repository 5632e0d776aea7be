/** What an operator decides about users and builders. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink, Uuid } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

export const UserNamed = Schema.Struct({ $schema: SchemaLink, user_id: Uuid, reason: Reason }).annotate({
  identifier: "UserNamed"
})

export const BuilderCodeNamed = Schema.Struct({ $schema: SchemaLink, builder_code: Uuid, reason: Reason }).annotate({
  identifier: "BuilderCodeNamed"
})

const deciding = { success: HttpApiSchema.NoContent, error: [NotFound, ServiceUnavailable] } as const

export const UsersGroup = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.post("freeze", "/users/freeze", { payload: UserNamed, ...deciding }),
    HttpApiEndpoint.post("unfreeze", "/users/unfreeze", { payload: UserNamed, ...deciding }),
    HttpApiEndpoint.post("activate", "/builder-codes/activate", { payload: BuilderCodeNamed, ...deciding }),
    HttpApiEndpoint.post("deactivate", "/builder-codes/deactivate", { payload: BuilderCodeNamed, ...deciding })
  )
  .middleware(OperatorOnly)
