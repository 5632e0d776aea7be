/** Whose request it is: signed headers, the account they name, and what its endpoint needs. */
import { headerName, type Header, headerValue } from "@venue/api/Headers"
import { problems } from "@venue/api/Problem"
import { Authenticated, Caller } from "@venue/api/rest/Caller"
import { Accounts } from "@venue/auth/Accounts"
import { Hmac } from "@venue/auth/Hmac"
import * as Permission from "@venue/auth/Permission"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { type RateLimits, weightOf } from "./RateLimits.ts"
import { rateExceeded, unavailable } from "./Refusal.ts"

export const layer = (options: { readonly baseUrl: string; readonly brand: string; readonly limits: RateLimits }) =>
  Layer.effect(
    Authenticated,
    Effect.gen(function* () {
      const { baseUrl, brand, limits } = options
      const hmac = yield* Hmac
      const accounts = yield* Accounts
      const refusals = problems(baseUrl)

      const spend = (who: string, weight: number) =>
        Effect.suspend(() => {
          const waitMillis = limits.spend(who, weight)
          return waitMillis === 0 ? Effect.void : rateExceeded(refusals, { retryAfterMillis: waitMillis })
        })

      return Authenticated.of((answer, { endpoint }) =>
        Effect.gen(function* () {
          const action = `${endpoint.method} ${endpoint.path}`
          const weight = weightOf(action)
          const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
          const value = (header: Header) => headerValue(headers, brand, header) ?? ""
          /** Whoever proves nothing pays as the address it comes from. */
          const unproven = Effect.andThen(
            spend(
              Option.getOrElse(remoteAddress, () => ""),
              weight
            ),
            Effect.fail(refusals.credentialsNotAccepted())
          )
          // A token wins over signed headers, and no token is known yet.
          if (headers["authorization"] !== undefined) return yield* unproven
          const caller = yield* hmac
            .verify({
              publicKey: value("public-key"),
              nonce: value("nonce"),
              timestamp: value("timestamp"),
              signature: value("hmac-signature")
            })
            .pipe(
              Effect.catchTags({ Unauthenticated: () => unproven, DatabaseUnavailable: () => unavailable(baseUrl) })
            )
          yield* spend(`user ${caller.userId}`, weight)

          const named = headerValue(headers, brand, requested)
          if (named !== undefined && !uuid.test(named)) {
            const location = `header.${headerName(brand, requested)}`
            return yield* refusals.invalidRequest([{ location, message: "Expected a UUID" }])
          }
          const accountId = named?.toLowerCase() ?? caller.userId
          yield* Permission.authorise(caller, action, accountId).pipe(
            Effect.provideService(Accounts, accounts),
            Effect.catchTags({
              PermissionDenied: () => Effect.fail(refusals.notPermitted()),
              DatabaseUnavailable: () => unavailable(baseUrl)
            })
          )
          return yield* Effect.provideService(answer, Caller, { userId: caller.userId, accountId })
        })
      )
    })
  )

const requested = "requested-account-id"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
