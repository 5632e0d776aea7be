/** The applications that may sign users in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable, UnprocessableEntity } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const GrantType = Schema.Literals(["authorization_code", "refresh_token"])

export const RegisterOAuthClient = Schema.Struct({
  $schema: SchemaLink,
  /** The id is drawn when it is left out, and told in lower case. */
  client_id: Schema.optionalKey(Uuid),
  name: Schema.String,
  type: Schema.Literals(["public", "confidential"]),
  redirect_uris: Schema.Array(Schema.String),
  logo_uri: Schema.optionalKey(Schema.NullOr(Schema.String)),
  client_uri: Schema.optionalKey(Schema.NullOr(Schema.String)),
  grant_types: Schema.optionalKey(Schema.Array(GrantType)),
  /** A public application may also be redirected to `http` on the user's own machine. */
  allow_loopback: Schema.optionalKey(Schema.Boolean),
  reason: Reason
}).annotate({ identifier: "RegisterOAuthClient" })

export const OAuthClientBody = Schema.Struct({
  client_id: Uuid,
  name: Schema.String,
  type: Schema.Literals(["public", "confidential"]),
  redirect_uris: Schema.Array(Schema.String),
  logo_uri: Schema.NullOr(Schema.String),
  client_uri: Schema.NullOr(Schema.String),
  grant_types: Schema.Array(GrantType),
  created_at: Moment,
  /** It is `null` while the application is enabled. */
  disabled_at: Schema.NullOr(Moment)
}).annotate({ identifier: "OAuthClientBody" })
export type OAuthClientBody = typeof OAuthClientBody.Type

/** The secret is told this once; a public application has none. */
export const RegisteredOAuthClient = Schema.Struct({
  client: OAuthClientBody,
  client_secret: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RegisteredOAuthClient" })

export const OAuthClientList = Schema.Struct({ data: Schema.Array(OAuthClientBody), count: RowCount }).annotate({
  identifier: "OAuthClientList"
})

export const OAuthClientNamed = Schema.Struct({ $schema: SchemaLink, client_id: Uuid, reason: Reason }).annotate({
  identifier: "OAuthClientNamed"
})

export const RotatedSecret = Schema.Struct({ client_id: Uuid, client_secret: Schema.String }).annotate({
  identifier: "RotatedSecret"
})

const deciding = { payload: OAuthClientNamed, error: [NotFound, ServiceUnavailable] } as const

export const OAuthClientsGroup = HttpApiGroup.make("oauthClients")
  .add(
    HttpApiEndpoint.get("list", "/oauth-clients", { success: OAuthClientList, error: ServiceUnavailable }),
    HttpApiEndpoint.post("register", "/oauth-clients", {
      payload: RegisterOAuthClient,
      success: RegisteredOAuthClient.pipe(HttpApiSchema.status(201)),
      error: [Conflict, UnprocessableEntity, ServiceUnavailable]
    }),
    // The secret before it stays good until the rotation is finished.
    HttpApiEndpoint.post("rotate", "/oauth-clients/rotate", { ...deciding, success: RotatedSecret }),
    HttpApiEndpoint.post("finishRotation", "/oauth-clients/finish-rotation", {
      ...deciding,
      success: HttpApiSchema.NoContent
    }),
    HttpApiEndpoint.post("disable", "/oauth-clients/disable", { ...deciding, success: HttpApiSchema.NoContent })
  )
  .middleware(OperatorOnly)

export const oauthClientBody = (client: {
  readonly clientId: string
  readonly name: string
  readonly type: OAuthClientBody["type"]
  readonly redirectUris: ReadonlyArray<string>
  readonly logoUri: string | null
  readonly clientUri: string | null
  readonly grantTypes: OAuthClientBody["grant_types"]
  readonly createdAtMillis: number
  readonly disabledAtMillis: number | null
}): OAuthClientBody => ({
  client_id: client.clientId,
  name: client.name,
  type: client.type,
  redirect_uris: client.redirectUris,
  logo_uri: client.logoUri,
  client_uri: client.clientUri,
  grant_types: client.grantTypes,
  created_at: instant(client.createdAtMillis),
  disabled_at: client.disabledAtMillis === null ? null : instant(client.disabledAtMillis)
})
