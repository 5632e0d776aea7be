/** Refusal that a route of the authentication service fails with. */
import * as AuthError from "@venue/api/auth/AuthError"
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  refusal: Schema.Literals(AuthError.refusals),
  /** Wait of a rate limit. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
  /** Text for this occurrence instead of the default one. */
  description: Schema.optionalKey(Schema.String)
}) {}

export const refused = (refusal: AuthError.Refusal, description?: string): Refused =>
  new Refused({ refusal, ...(description !== undefined && { description }) })
