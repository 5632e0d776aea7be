/** Rate-limit charges for REST requests, and the quota headers of their responses. */
import { isOpen, ruleOf } from "@venue/auth/access/Permission"
import type { Quota, RateLimits } from "@venue/domain/RateLimits"
import type { HttpServerRequest } from "effect/http"
import { type ClientAddress, network, peerOf } from "./ClientAddress.ts"
import { actionOf, type GateOptions, type Route } from "./Gate.ts"
import { refusal, retryAfter } from "./Refusal.ts"
import { rateSpent } from "@venue/api/Problem"
import type { RequestNotes } from "./RequestNotes.ts"
import { weightOf } from "./RequestWeight.ts"

export type Payer =
  /** The authenticated user, or the address if authentication fails. */
  | "caller"
  | "address"
  /** Health checks, which are free. */
  | "nobody"
  /** A route without an access rule; its requests are refused. */
  | "unruled"

export const payerOf = (route: Route): Payer => {
  if (route.path.startsWith("/health/")) return "nobody"
  const action = actionOf(route)
  if (ruleOf(action) !== undefined) return "caller"
  return isOpen(action) ? "address" : "unruled"
}

export interface RequestChargeOptions {
  readonly baseUrl: string
  readonly routes: ReadonlyArray<Route>
  /** Rate limits by client address. */
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
}

export interface RequestCharge extends Required<Pick<GateOptions, "admit">> {
  /** Returns the quota headers of the charged bucket, or of the address's bucket if nothing was charged. */
  readonly quotaHeaders: (request: HttpServerRequest.HttpServerRequest, notes: RequestNotes) => Record<string, string>
}

/** Charges addresses before their requests are processed. Users are charged later, at their desk. */
export const of = ({ addressOf, baseUrl, limits, routes }: RequestChargeOptions): RequestCharge => {
  const charges = new Map(routes.map((route) => [route, { payer: payerOf(route), weight: weightOf(actionOf(route)) }]))
  return {
    admit: (request, route, notes) => {
      const { payer, weight } = charges.get(route)!
      if (payer === "unruled") return refusal(baseUrl, 403, "not-permitted")
      if (payer !== "address") return undefined
      const { quota, waitMillis } = limits.charge(network(addressOf(request)), weight)
      notes.quota = quota
      return waitMillis === 0 ? undefined : tooFast(baseUrl, waitMillis, quota)
    },
    quotaHeaders: (request, notes) => {
      const quota = notes.quota ?? limits.quota(network(addressOf(request)))
      return quota === undefined ? {} : headersOf(quota)
    }
  }
}

/** Charges each request of a listener without proxies to the address of its connection; health checks are free. */
export const ofPeers =
  (baseUrl: string, limits: RateLimits): Required<Pick<GateOptions, "admit">>["admit"] =>
  (request, route) => {
    if (route.path.startsWith("/health/")) return undefined
    const { quota, waitMillis } = limits.charge(network(peerOf(request)), 1)
    return waitMillis === 0 ? undefined : tooFast(baseUrl, waitMillis, quota)
  }

const tooFast = (baseUrl: string, waitMillis: number, quota: Quota | undefined) =>
  refusal(baseUrl, 429, "rate-exceeded", retryAfter(waitMillis), rateSpent(waitMillis, quota?.capacity))

/** Returns the headers. The reset time is in seconds, rounded up. */
const headersOf = ({ capacity, fullInMillis, remaining }: Quota) => ({
  "ratelimit-limit": String(capacity),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(Math.ceil(fullInMillis / 1_000))
})
