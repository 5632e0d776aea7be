/** A refusal of the authentication service, which a route answers. */
import * as AuthError from "@venue/api/auth/AuthError"
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  refusal: Schema.Literals(AuthError.refusals),
  /** A limit says how long to wait. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

export const refused = (refusal: AuthError.Refusal): Refused => new Refused({ refusal })
