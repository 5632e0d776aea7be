/** How far a user has come before they may trade and move money, and the steps there. */
import { Missing } from "@venue/domain/Onboarding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadGateway, Conflict, ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { Authenticated } from "./Caller.ts"

export const OnboardingResponseBody = Schema.Struct({
  $schema: SchemaLink,
  identity: Schema.Literals(["none", "pending", "verified", "refused"]),
  terms_accepted: Schema.Boolean,
  /** The current one. */
  terms_version: Schema.String,
  second_factor: Schema.Literals(["none", "enrolled"]),
  region_allowed: Schema.Boolean,
  can_trade: Schema.Boolean,
  can_fund: Schema.Boolean,
  missing: Schema.Array(Missing)
}).annotate({ identifier: "OnboardingResponseBody" })

export const AcceptTermsRequestBody = Schema.Struct({
  $schema: SchemaLink,
  /** The one that was read: no longer the current one, it is refused. */
  terms_version: Schema.String
}).annotate({ identifier: "AcceptTermsRequestBody" })

export const BeginVerificationRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "BeginVerificationRequestBody"
})

export const BeginVerificationResponseBody = Schema.Struct({
  $schema: SchemaLink,
  verification_url: Schema.String.annotate({ format: "uri" })
}).annotate({ identifier: "BeginVerificationResponseBody" })

export const OnboardingGroup = HttpApiGroup.make("onboarding")
  .add(
    HttpApiEndpoint.get("onboarding", "/user/onboarding", {
      success: OnboardingResponseBody,
      error: ServiceUnavailable
    }),
    HttpApiEndpoint.post("acceptTerms", "/user/terms", {
      payload: AcceptTermsRequestBody,
      success: HttpApiSchema.NoContent,
      error: [Conflict, ServiceUnavailable]
    }),
    HttpApiEndpoint.post("beginVerification", "/user/verification", {
      payload: OptionalBody.orNone(BeginVerificationRequestBody),
      success: BeginVerificationResponseBody.pipe(HttpApiSchema.status(201)),
      error: [Conflict, BadGateway, ServiceUnavailable]
    }).annotate(OpenApi.Transform, OptionalBody.described)
  )
  .middleware(Authenticated)
