/** `/user/api-keys`: what a user's programs call with. */
import { allAccounts, type ApiKeySummary, isReservedLabel } from "@venue/domain/ApiKey"
import { isLabel } from "@venue/domain/Label"
import { Permission } from "@venue/domain/Permission"
import * as Text from "@venue/domain/Text"
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, Rows, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"

const Label = Schema.String.annotate({
  description:
    "Name of the key: one line of text without control or format characters and without space around it; " +
    'no label that begins with "builder-" or "managed".'
}).check(
  Text.atLeast(1),
  Text.atMost(64),
  isLabel,
  Schema.makeFilter((label) => !isReservedLabel(label), {
    expected: 'no label that begins with "builder-" or "managed"'
  })
)

const Scope = Schema.Union([Schema.Literal(allAccounts), Uuid])

const key = {
  $schema: SchemaLink,
  public_key: Schema.String,
  label: Schema.String,
  permissions: Schema.Array(Schema.String),
  scope: Schema.String,
  allowed_addresses: Schema.Array(Schema.String),
  created_at: Moment
}

export const ApiKey = Schema.Struct({
  ...key,
  last_used_at: Schema.NullOr(Moment),
  /** Somebody who named this key was last refused then. */
  last_failed_at: Schema.NullOr(Moment)
}).annotate({ identifier: "ApiKey" })

export const ApiKeysResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(ApiKey),
  count: Schema.Int
}).annotate({ identifier: "ApiKeysResponseBody" })

/** The secret is told this once. */
export const IssuedApiKey = Schema.Struct({ ...key, secret_key: Schema.String }).annotate({
  identifier: "IssuedApiKey"
})

export const CreateApiKeyRequestBody = Schema.Struct({
  $schema: SchemaLink,
  label: Label,
  permissions: Schema.Array(Permission).check(Schema.isMinLength(1), Schema.isMaxLength(Permission.literals.length)),
  scope: Scope,
  /** Addresses and networks such as `10.0.0.0/8`; none for anywhere. */
  allowed_addresses: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(32)))
}).annotate({ identifier: "CreateApiKeyRequestBody" })

export const RenameApiKeyRequestBody = Schema.Struct({ $schema: SchemaLink, label: Label }).annotate({
  identifier: "RenameApiKeyRequestBody"
})

const params = { public_key: Schema.String }
const unknownOutcome = [ServiceUnavailable, GatewayTimeout] as const

export const ApiKeysGroup = HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/user/api-keys", { success: ApiKeysResponseBody, error: ServiceUnavailable }),
    HttpApiEndpoint.post("create", "/user/api-keys", {
      payload: CreateApiKeyRequestBody,
      success: IssuedApiKey.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ...unknownOutcome]
    }),
    HttpApiEndpoint.patch("rename", "/user/api-keys/:public_key", {
      params,
      payload: RenameApiKeyRequestBody,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...unknownOutcome]
    }),
    HttpApiEndpoint.delete("revoke", "/user/api-keys/:public_key", {
      params,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ...unknownOutcome]
    }),
    HttpApiEndpoint.post("rotate", "/user/api-keys/:public_key/rotate", {
      params,
      success: IssuedApiKey.pipe(HttpApiSchema.status(201)),
      error: [NotFound, ...unknownOutcome]
    })
  )
  .middleware(Authenticated)

export const apiKey = (summary: ApiKeySummary): typeof ApiKey.Type => ({
  ...described(summary),
  last_used_at: moment(summary.lastUsedAtMillis),
  last_failed_at: moment(summary.lastFailedAtMillis)
})

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
