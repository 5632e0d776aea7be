/** A refusal of the authentication service, which a route answers. */
import * as AuthError from "@venue/api/auth/AuthError"
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  refusal: Schema.Literals(AuthError.refusals),
  /** A limit says how long to wait. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
  /** Words for this one occurrence, in place of the usual ones. */
  description: Schema.optionalKey(Schema.String)
}) {}

export const refused = (refusal: AuthError.Refusal, description?: string): Refused =>
  new Refused({ refusal, ...(description !== undefined && { description }) })
