/**
 * What bots ask again and again, answered without a route when all it takes is at hand. Whatever is missing or wrong is
 * left to the route, which says the same and knows what to say otherwise.
 */
import { headerValue } from "@venue/api/Headers"
import * as Problem from "@venue/api/Problem"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import { Hmac } from "@venue/auth/access/Hmac"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { type Claimed, isReuse } from "@venue/storage/access/Nonces"
import { Effect, Exit } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type AuthenticationOptions, signedOf } from "../http/Authentication.ts"
import * as ClientAddress from "../http/ClientAddress.ts"
import { send } from "../http/PlainHttp.ts"
import { shared } from "../http/Cors.ts"
import { body } from "./Positions.ts"
import { weightOf } from "../http/RateLimits.ts"
import { retryAfter } from "../http/Refusal.ts"

const action = "GET /user/positions"

export type Taking = Pick<AuthenticationOptions, "baseUrl" | "brand" | "limits"> & {
  readonly trustedProxies: ReadonlyArray<string>
  readonly countryHeader: string | undefined
}

/** Takes signed reads of what the main account has and holds. */
export const make = Effect.gen(function* () {
  const access = yield* AccessDecision.make
  const desks = yield* DeskClient
  const hmac = yield* Hmac
  const { instruments } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())

  return ({ baseUrl, brand, countryHeader = "", limits, trustedProxies }: Taking) => {
    const addressOf = ClientAddress.ofUpgrade(trustedProxies)
    const weight = weightOf(action)
    const strange = ["authorization", "content-length", "transfer-encoding", countryHeader.toLowerCase()]

    const refuse = (response: ServerResponse, status: Problem.Status, page: Problem.Page, headers = {}) =>
      send(
        response,
        status,
        { "content-type": contentType, ...shared, ...headers },
        Problem.body(baseUrl, status, page)
      )
    const unclaimed = (response: ServerResponse, address: string, exit: Claimed) => {
      if (!isReuse(exit)) return refuse(response, 503, "draining")
      const waitMillis = limits.spend(ClientAddress.network(address), weight)
      if (waitMillis > 0) return refuse(response, 429, "rate-exceeded", retryAfter(waitMillis))
      refuse(response, 401, "credentials-not-accepted")
    }

    return (request: IncomingMessage, response: ServerResponse): boolean => {
      const headers = request.headers as Record<string, string | undefined>
      if (request.method !== "GET" || request.url !== "/user/positions") return false
      if (strange.some((header) => headers[header] !== undefined)) return false
      if (headerValue(headers, brand, "requested-account-id") !== undefined) return false
      const address = addressOf(request)
      const recalled = hmac.recall(signedOf(headers, brand), address)
      if (recalled === undefined) return false
      const { userId } = recalled.caller
      const accountId = access.recall(recalled.caller, action)
      const bucket = `user ${userId}`
      if (accountId === undefined || limits.peek(bucket, weight) > 0) return false
      // From here on the nonce is used up, so what is asked is answered here.
      recalled.claim((exit) => {
        if (Exit.isFailure(exit)) return unclaimed(response, address, exit)
        // Others may have been let in since the look at the start.
        const waitMillis = limits.spend(bucket, weight)
        if (waitMillis > 0) return refuse(response, 429, "rate-exceeded", retryAfter(waitMillis))
        run(
          desks.summary({ userId, accountId, cost: noCost }).pipe(
            Effect.match({
              onFailure: () => refuse(response, 503, "draining"),
              onSuccess: (summary) =>
                send(
                  response,
                  200,
                  { "content-type": "application/json", ...shared },
                  body(baseUrl, instruments, summary)
                )
            }),
            Effect.catchCause((cause) =>
              Effect.andThen(
                Effect.logError("a request failed", cause),
                Effect.sync(() => refuse(response, 500, "unexpected"))
              )
            )
          )
        )
      })
      return true
    }
  }
})
