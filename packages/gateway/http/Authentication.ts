/** Authentication of REST requests: token or signed headers, requested account, rate limit and access decision. */
import { AccountId } from "@venue/domain/AccountId"
import { isUuid } from "@venue/domain/Id"
import type { Missing } from "@venue/domain/Onboarding"
import { headerName, type Header, headerValue } from "@venue/api/Headers"
import { shown } from "@venue/api/Fault"
import { type Forbidden, type Problems, type Unauthorized } from "@venue/api/Problem"
import { Authenticated, Caller } from "@venue/api/rest/Caller"
import type { InvalidToken } from "@venue/auth/session/AccessToken"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import { Bearers } from "@venue/auth/session/Bearers"
import { type Caller as Known, ofToken, type Unauthenticated } from "@venue/auth/access/Caller"
import { Hmac, type Signed } from "@venue/auth/access/Hmac"
import { Onboarding } from "@venue/auth/access/Onboarding"
import * as RestBuckets from "@venue/cluster/clients/RestBuckets"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { SessionEnded } from "@venue/storage/access/Sessions"
import type { RateLimits } from "@venue/domain/RateLimits"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { apiProblems } from "./ApiBaseUrl.ts"
import { tokenOf } from "../auth/Bearer.ts"
import { type ClientAddress, type ClientCountry, network } from "./ClientAddress.ts"
import * as Denial from "./Denial.ts"
import { actionOf } from "./Gate.ts"
import * as RequestNotes from "./RequestNotes.ts"
import { weightOf } from "./RequestWeight.ts"
import * as Refusal from "./Refusal.ts"

export interface AuthenticationOptions {
  readonly brand: string
  /** Rate limits by client address. */
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
  readonly countryOf: ClientCountry
  /** Returns the problem for missing onboarding steps; default: a 403. */
  readonly onboardingRequired?: (problems: Problems, missing: ReadonlyArray<Missing>) => Unauthorized | Forbidden
}

/** A request's credentials. */
interface Shown {
  /** True if this gateway has verified the credentials before. */
  readonly isKnown: boolean
  readonly prove: Effect.Effect<Known, Unauthenticated | InvalidToken | SessionEnded | DatabaseUnavailable>
  /** Returns the detail text for a fault that is visible in the request, such as a missing header. */
  readonly faultOf: (reason: Unauthenticated["reason"] | undefined) => string | undefined
}

/** Returns a request's signature headers. A missing header is an empty string. */
export const signedOf = (headers: Parameters<typeof headerValue>[0], brand: string): Signed => {
  const value = (header: Header) => headerValue(headers, brand, header) ?? ""
  return {
    publicKey: value("public-key"),
    nonce: value("nonce"),
    timestamp: value("timestamp"),
    signature: value("hmac-signature")
  }
}

export const layer = ({
  addressOf,
  brand,
  countryOf,
  limits,
  onboardingRequired = (refusals, missing) => refusals.onboardingRequired(missing)
}: AuthenticationOptions) =>
  Layer.effect(
    Authenticated,
    Effect.gen(function* () {
      const onboarding = yield* Onboarding
      const access = yield* AccessDecision.make
      const refusals = yield* apiProblems

      const charge = yield* RestBuckets.make("requests")
      const spend = (who: string, weight: number) => Refusal.spend(refusals, limits, who, weight)
      const unavailable = () => Effect.fail(refusals.draining())

      const shownBy = yield* showing(brand)

      return Authenticated.of((answer, { endpoint }) =>
        Effect.gen(function* () {
          const action = actionOf(endpoint)
          const weight = weightOf(action)
          const request = yield* HttpServerRequest.HttpServerRequest
          const address = addressOf(request)
          const { faultOf, isKnown, prove } = shownBy(request, address)
          // A failed verification is charged to the address. Unknown credentials are charged before the verification,
          // and refunded if they are valid.
          const pay = spend(network(address), weight)
          if (!isKnown) yield* pay
          const unproven = (refused: Unauthenticated | InvalidToken | SessionEnded) =>
            Effect.andThen(
              isKnown ? pay : Effect.void,
              Effect.fail(
                refusals.credentialsNotAccepted(
                  faultOf(refused._tag === "Unauthenticated" ? refused.reason : undefined)
                )
              )
            )
          const caller = yield* Effect.catchTags(prove, {
            Unauthenticated: unproven,
            InvalidToken: unproven,
            SessionEnded: unproven,
            DatabaseUnavailable: unavailable
          })
          if (!isKnown) limits.giveBack(network(address), weight)
          yield* RequestNotes.note({ userId: caller.userId })
          yield* Refusal.unlessExceeded(refusals, yield* charge(caller.userId, weight))

          // An empty header selects the primary account, as on the trade socket.
          const named = headerValue(request.headers, brand, "requested-account-id") || undefined
          if (named !== undefined && !isUuid(named)) {
            const location = `header.${headerName(brand, "requested-account-id")}`
            return yield* refusals.unfit(location, "Expected a UUID", shown(named))
          }
          const country = countryOf(request)
          if (country !== undefined) {
            yield* Effect.catchTags(onboarding.seenIn(caller.userId, country), {
              DatabaseUnavailable: unavailable,
              // Users are never deleted, so the user of a valid credential exists.
              UnknownUser: Effect.die
            })
          }
          const { accountId } = yield* access
            .authorise(caller, action, named === undefined ? undefined : AccountId.make(named.toLowerCase()))
            .pipe(
              Effect.catchTags({
                PermissionDenied: (refused) =>
                  Effect.fail(refusals.notPermitted(Denial.denied(refused, caller, brand))),
                SessionEnded: () => Effect.fail(refusals.credentialsNotAccepted()),
                UserFrozen: () => Effect.fail(refusals.accountFrozen()),
                SecondFactorRequired: () => Effect.fail(refusals.secondFactorRequired()),
                OnboardingRequired: ({ missing }) => Effect.fail(onboardingRequired(refusals, missing)),
                DatabaseUnavailable: unavailable
              })
            )
          const { permissions, userId } = caller
          return yield* Effect.provideService(answer, Caller, { userId, accountId, permissions })
        })
      )
    })
  )

/** Reads the credentials of a request; a token takes precedence over signed headers. */
const showing = Effect.fnUntraced(function* (brand: string) {
  const bearers = yield* Bearers
  const hmac = yield* Hmac
  return ({ headers }: HttpServerRequest.HttpServerRequest, address: string): Shown => {
    const { authorization } = headers
    if (authorization !== undefined) {
      const token = tokenOf(authorization) ?? ""
      return {
        isKnown: bearers.isKnown(token),
        prove: Effect.map(bearers.verify(token), ofToken),
        faultOf: () => (token === "" ? Denial.noToken : undefined)
      }
    }
    const signed = signedOf(headers, brand)
    return {
      isKnown: hmac.isKnown(signed.publicKey),
      prove: hmac.verify(signed, address),
      faultOf: (reason) => Denial.signatureFault(signed, reason, brand)
    }
  }
})
