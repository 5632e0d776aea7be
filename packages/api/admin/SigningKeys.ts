/** The keys that sign tokens, and how one follows another. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

/** What everybody verifies with is published elsewhere; what signs is told to nobody. */
export const SigningKeyBody = Schema.Struct({
  kid: Schema.String,
  state: Schema.Literals(["standby", "active", "retired"]),
  /** Its state changed last at this time. */
  since: Moment
}).annotate({ identifier: "SigningKeyBody" })

export const SigningKeyList = Schema.Struct({ data: Schema.Array(SigningKeyBody), count: RowCount }).annotate({
  identifier: "SigningKeyList"
})

export const PublishSigningKey = Schema.Struct({ $schema: SchemaLink, reason: Reason }).annotate({
  identifier: "PublishSigningKey"
})

export const PublishedSigningKey = Schema.Struct({ kid: Schema.String }).annotate({
  identifier: "PublishedSigningKey"
})

export const SigningKeyNamed = Schema.Struct({
  $schema: SchemaLink,
  kid: Schema.String,
  /** The change takes effect at once: tokens may be refused that would have been good. */
  emergency: Schema.optionalKey(Schema.Boolean),
  reason: Reason
}).annotate({ identifier: "SigningKeyNamed" })

const deciding = {
  payload: SigningKeyNamed,
  success: HttpApiSchema.NoContent,
  error: [NotFound, Conflict, ServiceUnavailable]
} as const

export const SigningKeysGroup = HttpApiGroup.make("signingKeys")
  .add(
    HttpApiEndpoint.get("list", "/signing-keys", { success: SigningKeyList }),
    HttpApiEndpoint.post("publish", "/signing-keys", {
      payload: PublishSigningKey,
      success: PublishedSigningKey.pipe(HttpApiSchema.status(201)),
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("activate", "/signing-keys/activate", deciding),
    HttpApiEndpoint.post("remove", "/signing-keys/remove", deciding)
  )
  .middleware(OperatorOnly)

export const signingKeyBody = (
  kid: string,
  state: (typeof SigningKeyBody.Type)["state"],
  sinceMillis: number
): typeof SigningKeyBody.Type => ({ kid, state, since: instant(sinceMillis) })
