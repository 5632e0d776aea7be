/** Endpoints for the bearer's second factors. */
import { type Challenged, type Enrolled, EnrolRequest, VerifyRequest } from "@venue/api/auth/Factor"
import type { RaisedSession } from "@venue/api/auth/Session"
import { SecondFactor, type Verification } from "@venue/auth/session/SecondFactor"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Effect, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Refused, refused } from "./Refused.ts"
import { route } from "./Route.ts"
import * as RequestBody from "./RequestBody.ts"
import { type AuthSite, spend } from "./AuthSite.ts"
import * as Bearer from "./Bearer.ts"
import * as SessionView from "./SessionView.ts"

export const routes = Effect.fnUntraced(function* (site: AuthSite) {
  const bearer = Bearer.ownOnly(yield* Bearer.make(site))
  const factors = yield* SecondFactor
  const view = yield* SessionView.make
  const factorId = Effect.map(HttpRouter.params, ({ factorId }) => factorId!)

  return [
    route(
      site,
      "POST",
      "/factors",
      Effect.gen(function* () {
        const caller = yield* bearer
        yield* spend(site, "enrol", yield* HttpServerRequest.HttpServerRequest)
        const { friendly_name, issuer } = yield* RequestBody.json(EnrolRequest)
        const enrolment = yield* factors.enrol(caller, {
          friendlyName: friendly_name ?? "",
          issuer: issuer ?? new URL(site.issuer).hostname
        })
        const body: Enrolled = {
          id: enrolment.factorId,
          type: "totp",
          friendly_name: enrolment.friendlyName,
          totp: {
            qr_code: Redacted.value(enrolment.qrCode),
            secret: Redacted.value(enrolment.secret),
            uri: Redacted.value(enrolment.uri)
          }
        }
        return HttpServerResponse.jsonUnsafe(body)
      }).pipe(Effect.mapError(refusalOf))
    ),
    route(
      site,
      "POST",
      "/factors/:factorId/challenge",
      Effect.gen(function* () {
        const caller = yield* bearer
        const { challengeId, expiresAtMillis } = yield* factors.challenge(caller, yield* factorId)
        const body: Challenged = { id: challengeId, type: "totp", expires_at: Math.floor(expiresAtMillis / 1000) }
        return HttpServerResponse.jsonUnsafe(body)
      }).pipe(Effect.mapError(refusalOf))
    ),
    route(
      site,
      "POST",
      "/factors/:factorId/verify",
      Effect.gen(function* () {
        const caller = yield* bearer
        const { challenge_id, code } = yield* RequestBody.json(VerifyRequest)
        const verified = yield* factors.verify(caller, yield* factorId, challenge_id, Redacted.make(code))
        const body: RaisedSession = { ...(yield* view.session(verified.issued)), ...recoveryOf(verified) }
        return HttpServerResponse.jsonUnsafe(body)
      }).pipe(Effect.mapError(refusalOf))
    ),
    route(
      site,
      "DELETE",
      "/factors/:factorId",
      Effect.gen(function* () {
        const caller = yield* bearer
        const id = yield* factorId
        yield* Effect.catchTag(factors.unenrol(caller, id), "InsufficientAal", () =>
          Effect.fail(refused("unenrol_needs_aal2"))
        )
        return HttpServerResponse.jsonUnsafe({ id })
      }).pipe(Effect.mapError(refusalOf))
    )
  ]
})

type Method = "enrol" | "challenge" | "verify" | "unenrol"
type Fault = Effect.Error<ReturnType<SecondFactor["Service"][Method]>> | Refused

const refusalOf = (fault: Fault): Refused | DatabaseUnavailable => {
  switch (fault._tag) {
    case "ChallengeExpired":
      return refused("mfa_challenge_expired")
    case "FactorNameConflict":
      return refused("mfa_factor_name_conflict")
    case "FactorNotFound":
      return refused("mfa_factor_not_found")
    case "InsufficientAal":
      return refused("insufficient_aal")
    case "SessionEnded":
      return refused("session_not_found")
    case "TooManyAttempts":
      return new Refused({ refusal: "over_request_rate_limit", retryAfterMillis: fault.retryAfterMillis })
    case "TooManyFactors":
      return refused("too_many_enrolled_mfa_factors")
    case "VerificationFailed":
      return refused("mfa_verification_failed")
    case "DatabaseUnavailable":
    case "Refused":
      return fault
  }
}

const recoveryOf = ({ recoveryCodes, recoveryCodesLeft }: Verification) => ({
  ...(recoveryCodes === null ? {} : { recovery_codes: recoveryCodes.map(Redacted.value) }),
  ...(recoveryCodesLeft === null ? {} : { recovery_codes_left: recoveryCodesLeft })
})
