/** `/user/builder-grants`: API keys of the user's account that builders hold. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { instant, text } from "../Member.ts"
import { operation } from "../Operation.ts"
import { GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { ListCount } from "./ListPage.ts"

/** API key of the user's account that a builder holds. */
export const BuilderGrant = Schema.Struct({
  $schema: SchemaLink,
  builder_id: Uuid.annotate({ description: "User id of the builder, which identifies the grant." }),
  builder_name: text("Public name of the builder at the time of issue"),
  created_at: instant("Time at which the key was issued"),
  last_used_at: Schema.NullOr(instant("Time of the last use of the key", "; null if never used"))
}).annotate({ identifier: "BuilderGrant", description: "API key of the user's account that a builder holds." })

/** Response body of `GET /user/builder-grants`. */
export const BuilderGrantsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(BuilderGrant).annotate({ description: "Grants, oldest first." }),
  count: ListCount
}).annotate({ identifier: "BuilderGrantsResponseBody" })

export const BuilderGrantsGroup = HttpApiGroup.make("builderGrants")
  .add(
    HttpApiEndpoint.get("builderGrants", "/user/builder-grants", {
      success: BuilderGrantsResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "List builder grants",
        "Returns the builders that hold an API key of the user's account. A bearer token is required. This operation is specific to this venue."
      )
    ),
    HttpApiEndpoint.delete("revokeBuilderGrant", "/user/builder-grants/:builder_id", {
      params: {
        builder_id: Uuid.annotate({
          description: "User id of the builder.",
          examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
        })
      },
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Revoke a builder grant",
        "Revokes the builder's key immediately and closes its connections. Refused with 404 for a builder without a key. This operation is specific to this venue."
      )
    )
  )
  .middleware(Authenticated)

/** API key that a builder holds; its label is `builder-` followed by the builder's name. */
export interface BuilderKey {
  readonly builderUserId: string
  readonly label: string
  readonly createdAtMillis: number
  readonly lastUsedAtMillis: number | null
}

/** Converts a builder's key to the wire format of its grant. */
export const builderGrant = (key: BuilderKey): typeof BuilderGrant.Type => ({
  builder_id: key.builderUserId,
  builder_name: key.label.replace(/^builder-/, ""),
  created_at: instantText(key.createdAtMillis),
  last_used_at: key.lastUsedAtMillis === null ? null : instantText(key.lastUsedAtMillis)
})
