/** `GET /public/accounts/{account_id}/positions`: what the account of a user who shows it to everybody holds. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Rows, SchemaLink, Uuid } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { PositionPublic } from "./Positions.ts"

export const AccountPublic = Schema.Struct({
  $schema: SchemaLink,
  account_id: Uuid,
  user_id: Uuid,
  is_public: Schema.Boolean,
  username: Schema.optionalKey(Schema.String),
  avatar_url: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AccountPublic" })

export const PublicPositionsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  account: AccountPublic,
  positions: Rows(PositionPublic)
}).annotate({ identifier: "PublicPositionsResponseBody" })
export type PublicPositionsResponseBody = typeof PublicPositionsResponseBody.Type

export const PublicPositionsGroup = HttpApiGroup.make("publicPositions").add(
  HttpApiEndpoint.get("publicPositions", "/public/accounts/:account_id/positions", {
    params: { account_id: Uuid },
    success: PublicPositionsResponseBody,
    error: [NotFound, ServiceUnavailable]
  })
)
