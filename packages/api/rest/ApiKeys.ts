/** `/user/api-keys`: a user's API keys. */
import { allAccounts, type ApiKeySummary, isReservedLabel } from "@venue/domain/ApiKey"
import { isLabel } from "@venue/domain/Label"
import { Permission } from "@venue/domain/Permission"
import * as Text from "@venue/domain/Text"
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, Rows, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

const Label = Schema.String.annotate({
  description:
    "Label of the key: one line of 1 to 64 characters, without control or format characters and without surrounding " +
    'spaces. Must be a label that does not begin with "builder-" or "managed".'
}).check(
  Text.atLeast(1),
  Text.atMost(64),
  isLabel,
  Schema.makeFilter((label) => !isReservedLabel(label), {
    expected: 'a label that does not begin with "builder-" or "managed"'
  })
)

const Scope = Schema.Union([Schema.Literal(allAccounts), Uuid])

const key = {
  $schema: SchemaLink,
  public_key: Schema.String.annotate({ description: "Public key, which identifies the API key." }),
  label: Schema.String.annotate({ description: "Label of the key." }),
  permissions: Schema.Array(Schema.String).annotate({ description: "Permissions of the key." }),
  scope: Schema.String.annotate({
    description: "Accounts that the key can act on: `all_accounts`, or the id of a single account."
  }),
  allowed_addresses: Schema.Array(Schema.String).annotate({
    description: "IP addresses and networks from which the key can be used; empty for all addresses."
  }),
  created_at: Moment.annotate({ description: "Time of creation, ISO 8601 in UTC." })
}

/** API key without its secret. */
export const ApiKey = Schema.Struct({
  ...key,
  last_used_at: Schema.NullOr(Moment).annotate({
    description: "Time of the last accepted request with the key, ISO 8601 in UTC; null before the first such request."
  }),
  last_failed_at: Schema.NullOr(Moment).annotate({
    description: "Time of the last refused request with the key, ISO 8601 in UTC; null before the first such request."
  })
}).annotate({ identifier: "ApiKey", description: "API key without its secret." })

/** Response body of `GET /user/api-keys`. */
export const ApiKeysResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(ApiKey).annotate({ description: "API keys of the user, except keys issued to builders." }),
  count: RowCount
}).annotate({ identifier: "ApiKeysResponseBody" })

/** New API key with its secret, which is returned only once. */
export const IssuedApiKey = Schema.Struct({
  ...key,
  secret_key: Schema.String.annotate({ description: "Secret of the key. The secret is returned only once." })
}).annotate({
  identifier: "IssuedApiKey",
  description: "API key with its secret."
})

/** Body of `POST /user/api-keys`. */
export const CreateApiKeyRequestBody = Schema.Struct({
  $schema: SchemaLink,
  label: Label,
  permissions: Schema.Array(Permission)
    .check(Schema.isMinLength(1), Schema.isMaxLength(Permission.literals.length))
    .annotate({
      description: "Permissions of the key, each at most once. Only the operator can grant `register_user`."
    }),
  scope: Scope.annotate({
    description: "Accounts that the key can act on: `all_accounts`, or the id of a single account.",
    examples: ["all_accounts"]
  }),
  allowed_addresses: Schema.optionalKey(
    Schema.Array(Schema.String)
      .check(Schema.isMaxLength(32))
      .annotate({
        description: "IP addresses and networks from which the key can be used, at most 32. Default: all addresses.",
        examples: [["10.0.0.0/8"]]
      })
  )
}).annotate({ identifier: "CreateApiKeyRequestBody" })

/** Body of `PATCH /user/api-keys/{public_key}`. */
export const RenameApiKeyRequestBody = Schema.Struct({ $schema: SchemaLink, label: Label }).annotate({
  identifier: "RenameApiKeyRequestBody"
})

const params = {
  public_key: Schema.String.annotate({
    description: "Public key of the API key.",
    examples: ["pub_3f1d8c5b7a9e4d2c8b6a0f1e2d3c4b5a"]
  })
}
const unknownOutcome = [ServiceUnavailable, GatewayTimeout] as const

export const ApiKeysGroup = HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/user/api-keys", {
      success: ApiKeysResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "List API keys",
        "Returns the API keys of the user without their secrets, except keys issued to builders."
      )
    ),
    HttpApiEndpoint.post("create", "/user/api-keys", {
      payload: CreateApiKeyRequestBody,
      success: IssuedApiKey.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ...unknownOutcome]
    }).annotateMerge(
      operation(
        "Create an API key",
        "Creates an API key and returns its secret once. Refused with 409 if the user already has 50 keys, with 403 " +
          "for another user's account or a permission that only operators can grant, and with 422 for an invalid " +
          "label."
      )
    ),
    HttpApiEndpoint.patch("rename", "/user/api-keys/:public_key", {
      params,
      payload: RenameApiKeyRequestBody,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...unknownOutcome]
    }).annotateMerge(
      operation("Rename an API key", "Changes the label of a key. Refused with 404 for an unknown key.")
    ),
    HttpApiEndpoint.delete("revoke", "/user/api-keys/:public_key", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...unknownOutcome]
    }).annotateMerge(
      operation(
        "Revoke an API key",
        "Revokes a key immediately and closes its connections. Refused with 404 for an unknown key."
      )
    ),
    HttpApiEndpoint.post("rotate", "/user/api-keys/:public_key/rotate", {
      params,
      success: IssuedApiKey.pipe(HttpApiSchema.status(201)),
      error: [NotFound, ...unknownOutcome]
    }).annotateMerge(
      operation(
        "Rotate an API key",
        "Creates a key with the same label, permissions and scope, returns its secret once, and revokes the old " +
          "key. Refused with 404 for an unknown key."
      )
    )
  )
  .middleware(Authenticated)

/** Converts an API key to its wire format. */
export const apiKey = (summary: ApiKeySummary): typeof ApiKey.Type => ({
  ...described(summary),
  last_used_at: moment(summary.lastUsedAtMillis),
  last_failed_at: moment(summary.lastFailedAtMillis)
})

/** Converts a new API key with its secret to its wire format. */
export const issuedApiKey = (
  summary: ApiKeySummary,
  secret: Redacted.Redacted
): Omit<typeof IssuedApiKey.Type, "$schema"> => ({
  ...described(summary),
  secret_key: Redacted.value(secret)
})

const described = ({ allowedAddresses, createdAtMillis, label, permissions, publicKey, scope }: ApiKeySummary) => ({
  public_key: publicKey,
  label,
  permissions,
  scope,
  allowed_addresses: allowedAddresses,
  created_at: instant(createdAtMillis)
})

const moment = (millis: number | null): string | null => (millis === null ? null : instant(millis))
