/** Handles `GET /user/onboarding`, `POST /user/terms`, `POST /user/verification` and the provider's callbacks. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { Onboarding } from "@venue/auth/access/Onboarding"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import type { Route } from "../http/Gate.ts"
import { refusal } from "../http/Refusal.ts"

export const layer = group(
  Api,
  "onboarding",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const onboarding = yield* Onboarding
    const refusals = yield* apiProblems
    const draining = () => Effect.fail(refusals.draining())

    return handlers
      .handle(
        "onboarding",
        Effect.fnUntraced(
          function* () {
            const progress = yield* onboarding.progress((yield* Caller).userId)
            const { canFund, canTrade, currentTermsVersion, hasSecondFactor, identity, missing } = progress
            return {
              $schema: schemaUri(baseUrl, "OnboardingResponseBody"),
              identity,
              terms_accepted: !missing.includes("terms"),
              terms_version: currentTermsVersion,
              second_factor: hasSecondFactor ? ("enrolled" as const) : ("none" as const),
              region_allowed: !missing.includes("region"),
              can_trade: canTrade,
              can_fund: canFund,
              missing
            }
          },
          Effect.catchTag("DatabaseUnavailable", draining)
        )
      )
      .handle(
        "acceptTerms",
        Effect.fnUntraced(
          function* ({ payload }) {
            yield* onboarding.acceptTerms((yield* Caller).userId, payload.terms_version)
          },
          Effect.catchTags({
            TermsNotCurrent: ({ termsVersion }) => Effect.fail(refusals.termsNotCurrent(termsVersion)),
            UnknownUser: Effect.die,
            DatabaseUnavailable: draining
          })
        )
      )
      .handle(
        "beginVerification",
        Effect.fnUntraced(
          function* () {
            const verification_url = yield* onboarding.beginVerification((yield* Caller).userId)
            return { $schema: schemaUri(baseUrl, "BeginVerificationResponseBody"), verification_url }
          },
          Effect.tapErrorTag("IdentityUnavailable", ({ cause }) =>
            Effect.logWarning("the identity provider did not respond", cause)
          ),
          Effect.catchTags({
            AlreadyVerified: () => Effect.fail(refusals.alreadyVerified()),
            IdentityUnavailable: () => Effect.fail(refusals.providerUnavailable()),
            UnknownUser: Effect.die,
            DatabaseUnavailable: draining
          })
        )
      )
  })
)

const callbackPath = "/provider/identity"

export const callbackRoutes: ReadonlyArray<Route> = [{ method: "POST", path: callbackPath }]

/** Reads the body as text, because the signature covers its bytes. */
export const callback = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const baseUrl = yield* ApiBaseUrl
    const onboarding = yield* Onboarding
    yield* router.add(
      "POST",
      callbackPath,
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        request.text.pipe(
          Effect.flatMap((body) => onboarding.hear(body, request.headers[signatureHeader] ?? "")),
          Effect.as(HttpServerResponse.empty()),
          Effect.tapErrorTag("CallbackRefused", ({ reason }) =>
            Effect.logWarning("rejected a callback from the identity provider", reason)
          ),
          Effect.catchTags({
            CallbackRefused: ({ reason }) =>
              Effect.succeed(
                reason === "body"
                  ? refusal(baseUrl, 422, "invalid-request")
                  : refusal(baseUrl, 401, "credentials-not-accepted")
              ),
            // The callback might arrive before its verification is stored; the provider then retries.
            UnknownVerification: () => Effect.succeed(refusal(baseUrl, 404, "unknown-verification")),
            DatabaseUnavailable: () => Effect.succeed(refusal(baseUrl, 503, "draining")),
            // The gate sends the response to an unreadable body.
            HttpServerError: Effect.die
          })
        )
      )
    )
  })
)

const signatureHeader = "x-signature"
