/** OAuth applications that are allowed to sign users in. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable, UnprocessableEntity } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const GrantType = Schema.Literals(["authorization_code", "refresh_token"])

/** Body of `POST /oauth-clients`. */
export const RegisterOAuthClient = Schema.Struct({
  $schema: SchemaLink,
  client_id: Schema.optionalKey(
    Uuid.annotate({
      description: "Id of the application, a UUID in lower case. Default: a new id.",
      examples: ["9d0e3c1b-5b6d-4a52-8f21-7a9e2f40c1d2"]
    })
  ),
  name: Schema.String.annotate({ description: "Name of the application, shown to users.", examples: ["Chart app"] }),
  type: Schema.Literals(["public", "confidential"]).annotate({
    description: "Type of the application: `confidential` with a secret, `public` without a secret."
  }),
  redirect_uris: Schema.Array(Schema.String).annotate({
    description: "Allowed redirect URIs.",
    examples: [["https://app.example/callback"]]
  }),
  logo_uri: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "URL of the application's logo; null if the application has no logo.",
      examples: ["https://app.example/logo.png"]
    })
  ),
  client_uri: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "URL of the application's web page; null if the application has no page.",
      examples: ["https://app.example"]
    })
  ),
  grant_types: Schema.optionalKey(
    Schema.Array(GrantType).annotate({ description: "Allowed grant types. Default: both types." })
  ),
  allow_loopback: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether a public application can also use `http` redirect URIs on the user's own machine. Default: false."
    })
  ),
  reason: Reason
}).annotate({ identifier: "RegisterOAuthClient" })

/** Application that is allowed to sign users in. */
export const OAuthClientBody = Schema.Struct({
  client_id: Uuid.annotate({ description: "Id of the application." }),
  name: Schema.String.annotate({ description: "Name of the application, shown to users." }),
  type: Schema.Literals(["public", "confidential"]).annotate({
    description: "Type of the application: `confidential` with a secret, `public` without a secret."
  }),
  redirect_uris: Schema.Array(Schema.String).annotate({ description: "Allowed redirect URIs." }),
  logo_uri: Schema.NullOr(Schema.String).annotate({
    description: "URL of the application's logo; null if the application has no logo."
  }),
  client_uri: Schema.NullOr(Schema.String).annotate({
    description: "URL of the application's web page; null if the application has no page."
  }),
  grant_types: Schema.Array(GrantType).annotate({ description: "Allowed grant types." }),
  created_at: Moment.annotate({ description: "Time of registration, ISO 8601 in UTC." }),
  disabled_at: Schema.NullOr(Moment).annotate({
    description: "Time at which the application was disabled, ISO 8601 in UTC; null while it is enabled."
  })
}).annotate({ identifier: "OAuthClientBody", description: "Application that is allowed to sign users in." })
export type OAuthClientBody = typeof OAuthClientBody.Type

/** New application with its secret, which is returned only once; a public application has no secret. */
export const RegisteredOAuthClient = Schema.Struct({
  client: OAuthClientBody,
  client_secret: Schema.NullOr(Schema.String).annotate({
    description: "Secret of the application, returned only in this response; null for a public application."
  })
}).annotate({ identifier: "RegisteredOAuthClient" })

/** Response body of `GET /oauth-clients`. */
export const OAuthClientList = Schema.Struct({
  data: Schema.Array(OAuthClientBody).annotate({ description: "Registered applications." }),
  count: RowCount
}).annotate({
  identifier: "OAuthClientList"
})

/** Body of an operation on one application. */
export const OAuthClientNamed = Schema.Struct({
  $schema: SchemaLink,
  client_id: Uuid.annotate({
    description: "Id of the application.",
    examples: ["9d0e3c1b-5b6d-4a52-8f21-7a9e2f40c1d2"]
  }),
  reason: Reason
}).annotate({
  identifier: "OAuthClientNamed"
})

/** Response body of `POST /oauth-clients/rotate`. */
export const RotatedSecret = Schema.Struct({
  client_id: Uuid.annotate({ description: "Id of the application." }),
  client_secret: Schema.String.annotate({
    description: "New secret of the application, returned only in this response."
  })
}).annotate({
  identifier: "RotatedSecret"
})

const deciding = { payload: OAuthClientNamed, error: [NotFound, ServiceUnavailable] } as const

export const OAuthClientsGroup = HttpApiGroup.make("oauthClients")
  .add(
    HttpApiEndpoint.get("list", "/oauth-clients", {
      success: OAuthClientList,
      error: ServiceUnavailable
    }).annotateMerge(
      operation("List OAuth applications", "Returns the registered applications, including disabled applications.")
    ),
    HttpApiEndpoint.post("register", "/oauth-clients", {
      payload: RegisterOAuthClient,
      success: RegisteredOAuthClient.pipe(HttpApiSchema.status(201)),
      error: [Conflict, UnprocessableEntity, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Register an OAuth application",
        "Registers an application and returns its secret, which is never shown again. Refused with 409 if the " +
          "id is taken, and with 422 for a redirect URI that is not allowed."
      )
    ),
    // The previous secret stays valid until the rotation is finished.
    HttpApiEndpoint.post("rotate", "/oauth-clients/rotate", { ...deciding, success: RotatedSecret }).annotateMerge(
      operation(
        "Rotate an application secret",
        "Returns a new secret. The previous secret stays valid until POST /oauth-clients/finish-rotation. Refused " +
          "with 404 for an unknown, public or disabled application."
      )
    ),
    HttpApiEndpoint.post("finishRotation", "/oauth-clients/finish-rotation", {
      ...deciding,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      operation(
        "Finish a secret rotation",
        "Revokes the previous secret. Refused with 404 for an unknown application, or for an application " +
          "without a previous secret."
      )
    ),
    HttpApiEndpoint.post("disable", "/oauth-clients/disable", {
      ...deciding,
      success: HttpApiSchema.NoContent
    }).annotateMerge(
      operation(
        "Disable an OAuth application",
        "Disables an application, which then can no longer sign users in. Refused with 404 for an unknown or " +
          "already disabled application."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts an application to its wire format. */
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
