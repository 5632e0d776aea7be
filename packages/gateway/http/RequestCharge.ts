/** Who pays for a request over REST, and how every answer tells what is left. */
import { isOpen, ruleOf } from "@venue/auth/access/Permission"
import type { Quota, RateLimits } from "@venue/domain/RateLimits"
import { type ClientAddress, network } from "./ClientAddress.ts"
import { actionOf, type GateOptions, type Route } from "./Gate.ts"
import { refusal, retryAfter } from "./Refusal.ts"
import { weightOf } from "./RequestWeight.ts"

export type Payer =
  /** Whoever shows credentials, once it is known who they are; without good ones their address pays. */
  | "caller"
  | "address"
  /** Machines ask for health, and are always told. */
  | "nobody"
  /** No rule says who may ask, so nobody may. */
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
  /** Of addresses. */
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
}

/** Addresses pay here, before anything is done for them; callers at their desk, behind the gate. */
export const of = ({
  addressOf,
  baseUrl,
  limits,
  routes
}: RequestChargeOptions): Pick<GateOptions, "admit" | "answerHeaders"> => {
  const charges = new Map(routes.map((route) => [route, { payer: payerOf(route), weight: weightOf(actionOf(route)) }]))
  return {
    admit: (request, route, notes) => {
      const { payer, weight } = charges.get(route)!
      if (payer === "unruled") return refusal(baseUrl, 403, "not-permitted")
      if (payer !== "address") return undefined
      const { quota, waitMillis } = limits.charge(network(addressOf(request)), weight)
      notes.quota = quota
      return waitMillis === 0 ? undefined : refusal(baseUrl, 429, "rate-exceeded", retryAfter(waitMillis))
    },
    answerHeaders: (request, notes) => {
      const quota = notes.quota ?? limits.quota(network(addressOf(request)))
      return quota === undefined ? {} : quotaHeaders(quota)
    }
  }
}

/** The time is in seconds, rounded up. */
const quotaHeaders = ({ capacity, fullInMillis, remaining }: Quota) => ({
  "ratelimit-limit": String(capacity),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(Math.ceil(fullInMillis / 1_000))
})
