/** `GET /public/accounts/{account_id}/positions`: positions of an account whose user has a public profile. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { PositionPublic } from "./Positions.ts"
import { operation } from "../Operation.ts"

/** Account of a user with a public profile. */
export const AccountPublic = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid.annotate({ description: "Id of the account." }),
  user_id: Uuid.annotate({ description: "Id of the user who owns the account." }),
  is_public: Schema.Boolean.annotate({
    description: "Whether the user's profile is public; always true here."
  }),
  username: Schema.optionalKey(Schema.String.annotate({ description: "Public name of the user; omitted if not set." })),
  avatar_url: Schema.optionalKey(
    Schema.String.annotate({ description: "URL of the user's picture; omitted if not set." })
  )
}).annotate({ identifier: "AccountPublic", description: "Account of a user with a public profile." })

/** Response body of `GET /public/accounts/{account_id}/positions`. */
export const PublicPositionsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account: AccountPublic,
  positions: Rows(PositionPublic).annotate({ description: "Open positions of the account." })
}).annotate({ identifier: "PublicPositionsResponseBody" })
export type PublicPositionsResponseBody = typeof PublicPositionsResponseBody.Type

export const PublicPositionsGroup = HttpApiGroup.make("publicPositions").add(
  HttpApiEndpoint.get("publicPositions", "/public/accounts/:account_id/positions", {
    params: {
      account_id: Uuid.annotate({
        description: "Id of an account whose user has a public profile.",
        examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
      })
    },
    success: PublicPositionsResponseBody,
    error: [NotFound, ServiceUnavailable]
  }).annotateMerge(
    operation(
      "Get public positions",
      "Returns the positions of an account whose user has a public profile. Refused with 404 for any other " +
        "account. No credentials are needed."
    )
  )
)
