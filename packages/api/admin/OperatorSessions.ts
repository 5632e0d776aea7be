/** Second factors and sessions of operators. */
import { sessionHours } from "@venue/domain/Operator"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, SchemaLink } from "../Body.ts"
import { operation } from "../Operation.ts"
import { Conflict, ServiceUnavailable, TooManyRequests, Unauthorized } from "../Problem.ts"
import { secret } from "../Secret.ts"
import { AcceptsUnproven, NeededRole, OperatorOnly } from "./Operator.ts"

/** New second factor, which only this response contains. */
export const OperatorFactor = Schema.Struct({
  secret: Schema.String.annotate({ description: "Secret in base32, to enter into an authenticator app." }),
  uri: Schema.String.annotate({ description: "URI with the secret, which authenticator apps read as a QR code." })
}).annotate({ identifier: "OperatorFactor" })

/** Body of `POST /operators/session`. */
export const OperatorCode = Schema.Struct({
  $schema: SchemaLink,
  code: secret(
    Schema.String.annotate({
      description: "Current code of the authenticator app: 6 digits. Each code is accepted once.",
      examples: ["492039"]
    }).check(Text.matches("^[0-9]{6}$", "6 digits"))
  )
}).annotate({ identifier: "OperatorCode" })

/** Session of an operator, whose token only this response contains. */
export const OperatorSession = Schema.Struct({
  token: Schema.String.annotate({ description: "Bearer token of the session, returned only in this response." }),
  expires_at: Moment.annotate({
    description: `Time at which the session ends, at most ${sessionHours} h from now, ISO 8601 in UTC.`
  })
}).annotate({ identifier: "OperatorSession" })

export const OperatorSessionsGroup = HttpApiGroup.make("operatorSessions")
  .add(
    HttpApiEndpoint.post("enrol", "/operators/second-factor", {
      success: OperatorFactor.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Create a second factor",
        "Returns the secret of the caller's second factor, which is never shown again. The new factor replaces a factor whose " +
          "codes were never used. Refused with 409 if a factor is in use, or if the token requires no second factor."
      )
    ),
    HttpApiEndpoint.post("begin", "/operators/session", {
      payload: OperatorCode,
      success: OperatorSession.pipe(HttpApiSchema.status(201)),
      error: [Unauthorized, Conflict, TooManyRequests, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Begin a session",
        `Exchanges the caller's token and a code of the second factor for a bearer token of at most ${sessionHours} h. ` +
          "Refused with 401 for a wrong or used code, with 409 if there is no second factor, and with 429 after 5 attempts in 15 minutes."
      )
    )
  )
  .annotateEndpoints(NeededRole, "viewer")
  .annotateEndpoints(AcceptsUnproven, true)
  .middleware(OperatorOnly)
