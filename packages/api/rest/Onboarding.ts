/** `/user/onboarding` and the steps that a user must complete before trading and moving money. */
import { Missing } from "@venue/domain/Onboarding"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadGateway, Conflict, ServiceUnavailable } from "../Problem.ts"
import { SchemaLink } from "../Body.ts"
import * as OptionalBody from "../OptionalBody.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Response body of `GET /user/onboarding`. */
export const OnboardingResponseBody = Schema.Struct({
  $schema: SchemaLink,
  identity: Schema.Literals(["none", "pending", "verified", "refused"]).annotate({
    description: "State of the identity check."
  }),
  terms_accepted: Schema.Boolean.annotate({ description: "Whether the user has accepted the current terms." }),
  terms_version: Schema.String.annotate({ description: "Version of the current terms." }),
  second_factor: Schema.Literals(["none", "enrolled"]).annotate({
    description: "Whether the user has enrolled a second factor: `enrolled` or `none`."
  }),
  region_allowed: Schema.Boolean.annotate({ description: "Whether the venue serves the user's region." }),
  can_trade: Schema.Boolean.annotate({ description: "Whether the user is allowed to trade." }),
  can_fund: Schema.Boolean.annotate({ description: "Whether the user is allowed to deposit and withdraw." }),
  missing: Schema.Array(Missing).annotate({ description: "Onboarding steps that the user has not completed." })
}).annotate({ identifier: "OnboardingResponseBody" })

/** Body of `POST /user/terms`. */
export const AcceptTermsRequestBody = Schema.Struct({
  $schema: SchemaLink,
  terms_version: Schema.String.annotate({
    description: "Version of the terms that the user accepts; it must be the current `terms_version`."
  })
}).annotate({ identifier: "AcceptTermsRequestBody" })

/** Body of `POST /user/verification`. */
export const BeginVerificationRequestBody = Schema.Struct({ $schema: SchemaLink }).annotate({
  identifier: "BeginVerificationRequestBody"
})

/** Response body of `POST /user/verification`. */
export const BeginVerificationResponseBody = Schema.Struct({
  $schema: SchemaLink,
  verification_url: Schema.String.annotate({ format: "uri" }).annotate({
    description: "URL of the identity provider's page for this user."
  })
}).annotate({ identifier: "BeginVerificationResponseBody" })

export const OnboardingGroup = HttpApiGroup.make("onboarding")
  .add(
    HttpApiEndpoint.get("onboarding", "/user/onboarding", {
      success: OnboardingResponseBody,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "Get onboarding state",
        "Returns the completed and the missing onboarding steps, and whether the user is allowed to trade, deposit and withdraw."
      )
    ),
    HttpApiEndpoint.post("acceptTerms", "/user/terms", {
      payload: AcceptTermsRequestBody,
      success: HttpApiSchema.NoContent,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Accept the terms",
        "Records that the user accepts a version of the terms. Refused with 409 if the version is not current, " +
          "and with 403 for an application that acts for the user."
      )
    ),
    HttpApiEndpoint.post("beginVerification", "/user/verification", {
      payload: OptionalBody.orNone(BeginVerificationRequestBody),
      success: BeginVerificationResponseBody.pipe(HttpApiSchema.status(201)),
      error: [Conflict, BadGateway, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Start the identity check",
          "Starts an identity check at the identity provider and returns the URL of the provider's page. Refused with 409 if " +
            "the identity is already verified, and with 502 if the provider does not respond."
        )
      )
      .annotate(OpenApi.Transform, OptionalBody.described)
  )
  .middleware(Authenticated)
