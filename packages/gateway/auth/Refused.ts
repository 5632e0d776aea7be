/** Refusal with which a route of the authentication service fails. */
import * as AuthError from "@venue/api/auth/AuthError"
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  refusal: Schema.Literals(AuthError.refusals),
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
  /** Text for this occurrence, which replaces the default text. */
  description: Schema.optionalKey(Schema.String)
}) {}

export const refused = (refusal: AuthError.Refusal, description?: string): Refused =>
  new Refused({ refusal, ...(description !== undefined && { description }) })
