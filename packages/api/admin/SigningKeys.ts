/** Keys that sign tokens, and their rotation. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Signing key without its private part; the public part is published at `/.well-known/jwks.json`. */
export const SigningKeyBody = Schema.Struct({
  kid: Schema.String.annotate({ description: "Id of the key." }),
  state: Schema.Literals(["standby", "active", "retired"]).annotate({
    description:
      "State of the key: `standby` before it signs, `active` while it signs new tokens, `retired` afterwards."
  }),
  since: Moment.annotate({ description: "Time of the last change of state, ISO 8601 in UTC." })
}).annotate({ identifier: "SigningKeyBody", description: "Key for signing tokens." })

/** Response body of `GET /signing-keys`. */
export const SigningKeyList = Schema.Struct({
  data: Schema.Array(SigningKeyBody).annotate({ description: "Signing keys." }),
  count: RowCount
}).annotate({
  identifier: "SigningKeyList"
})

/** Body of `POST /signing-keys`. */
export const PublishSigningKey = Schema.Struct({ $schema: SchemaLink, reason: Reason }).annotate({
  identifier: "PublishSigningKey"
})

/** Response body of `POST /signing-keys`. */
export const PublishedSigningKey = Schema.Struct({
  kid: Schema.String.annotate({ description: "Id of the new key." })
}).annotate({
  identifier: "PublishedSigningKey"
})

/** Body of an operation on one signing key. */
export const SigningKeyNamed = Schema.Struct({
  $schema: SchemaLink,
  kid: Schema.String.annotate({ description: "Id of the key.", examples: ["2026-03-a1b2c3d4"] }),
  emergency: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Whether to skip the waiting time, at the risk that valid tokens are refused. Default: false."
    })
  ),
  reason: Reason
}).annotate({ identifier: "SigningKeyNamed" })

const deciding = {
  payload: SigningKeyNamed,
  success: HttpApiSchema.NoContent,
  error: [NotFound, Conflict, ServiceUnavailable]
} as const

export const SigningKeysGroup = HttpApiGroup.make("signingKeys")
  .add(
    HttpApiEndpoint.get("list", "/signing-keys", { success: SigningKeyList }).annotateMerge(
      operation("List signing keys", "Returns the signing keys without their private parts.")
    ),
    HttpApiEndpoint.post("publish", "/signing-keys", {
      payload: PublishSigningKey,
      success: PublishedSigningKey.pipe(HttpApiSchema.status(201)),
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Publish a signing key",
        "Creates a standby key and publishes its public part, so that verifiers can fetch it before it signs."
      )
    ),
    HttpApiEndpoint.post("activate", "/signing-keys/activate", deciding).annotateMerge(
      operation(
        "Activate a signing key",
        "Makes a standby key the active key, which signs new tokens, and retires the previous active key. Refused " +
          "with 404 for an unknown key, and with 409 if the key is not standby, or if it was published less than 20 " +
          "minutes ago and `emergency` is not true."
      )
    ),
    HttpApiEndpoint.post("remove", "/signing-keys/remove", deciding).annotateMerge(
      operation(
        "Remove a signing key",
        "Removes a standby or retired key from the published keys. Refused with 404 for an unknown key, and with " +
          "409 if the key is active, or if tokens signed by it can still be valid and `emergency` is not true."
      )
    )
  )
  .middleware(OperatorOnly)

/** Converts a signing key to its wire format. */
export const signingKeyBody = (
  kid: string,
  state: (typeof SigningKeyBody.Type)["state"],
  sinceMillis: number
): typeof SigningKeyBody.Type => ({ kid, state, since: instant(sinceMillis) })
