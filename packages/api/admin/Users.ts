/** Operations with which an operator freezes users and activates builder codes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink, Uuid } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /users/freeze` and `POST /users/unfreeze`. */
export const UserNamed = Schema.Struct({
  $schema: SchemaLink,
  user_id: Uuid.annotate({ description: "User id.", examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"] }),
  reason: Reason
}).annotate({
  identifier: "UserNamed"
})

/** Body of `POST /builder-codes/activate` and `POST /builder-codes/deactivate`. */
export const BuilderCodeNamed = Schema.Struct({
  $schema: SchemaLink,
  builder_code: Uuid.annotate({ description: "Builder code.", examples: ["5b6d0a52-8f21-4f7a-9d0e-3c1b7a9e2f40"] }),
  reason: Reason
}).annotate({
  identifier: "BuilderCodeNamed"
})

const deciding = { success: HttpApiSchema.NoContent, error: [NotFound, ServiceUnavailable] } as const

export const UsersGroup = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.post("freeze", "/users/freeze", { payload: UserNamed, ...deciding }).annotateMerge(
      operation(
        "Freeze a user",
        "Refuses every request of the user with 403 and closes the user's connections. Refused with 404 for an " +
          "unknown user."
      )
    ),
    HttpApiEndpoint.post("unfreeze", "/users/unfreeze", { payload: UserNamed, ...deciding }).annotateMerge(
      operation("Unfreeze a user", "Ends the freeze of a user. Refused with 404 for an unknown user.")
    ),
    HttpApiEndpoint.post("activate", "/builder-codes/activate", {
      payload: BuilderCodeNamed,
      ...deciding
    }).annotateMerge(
      operation(
        "Activate a builder code",
        "Starts rewards for orders with the builder code. Refused with 404 for an unknown code."
      )
    ),
    HttpApiEndpoint.post("deactivate", "/builder-codes/deactivate", {
      payload: BuilderCodeNamed,
      ...deciding
    }).annotateMerge(
      operation(
        "Deactivate a builder code",
        "Stops rewards for orders with the builder code. Refused with 404 for an unknown code."
      )
    )
  )
  .middleware(OperatorOnly)
