/** Handles the operator endpoints for second factors and sessions. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { instant } from "@venue/api/Digits"
import { OperatorTokens } from "@venue/auth/access/OperatorTokens"
import * as Totp from "@venue/auth/session/Totp"
import * as RateLimits from "@venue/domain/RateLimits"
import { Clock, Effect, Redacted } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as Refusal from "../http/Refusal.ts"

export const layer = group(
  AdminApi,
  "operatorSessions",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* OperatorTokens
    const clock = yield* Clock.Clock
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const attempts = RateLimits.make({
      enabled: true,
      nowMillis: () => clock.currentTimeMillisUnsafe(),
      ...attemptRate
    })

    return handlers
      .handle(
        "enrol",
        Effect.fnUntraced(
          function* () {
            const { name } = yield* Operator
            const secret = yield* tokens.enrol(name)
            const uri = Totp.uri(secret, issuer, name)
            return { secret: Redacted.value(secret), uri: Redacted.value(uri) }
          },
          Effect.catchTags({
            ...unavailable,
            FactorSettled: ({ isNeeded }) => Effect.fail(refusals.factorEnrolled(isNeeded))
          })
        )
      )
      .handle(
        "begin",
        Effect.fnUntraced(
          function* ({ payload: { code } }) {
            const { name } = yield* Operator
            yield* Refusal.spend(refusals, attempts, name, 1)
            const { expiresAtMillis, token } = yield* tokens.beginSession(name, Redacted.make(code))
            attempts.giveBack(name, 1)
            return { token: Redacted.value(token), expires_at: instant(expiresAtMillis) }
          },
          Effect.catchTags({
            ...unavailable,
            FactorMissing: ({ isNeeded }) => Effect.fail(refusals.factorNotEnrolled(isNeeded)),
            OperatorCodeRefused: () => Effect.fail(refusals.credentialsNotAccepted(wrong))
          })
        )
      )
  })
)

/** Name that an authenticator app shows beside the operator's. */
const issuer = "Venue operators"

const wrong = "The code is wrong or was already used; wait for the next code of the authenticator app and send it."

/** Attempts of one operator at one gateway: with the three codes that are valid at a time, a guess succeeds once in 300,000. */
const attemptRate = { capacity: 5, refillMillis: 15 * 60_000 }
