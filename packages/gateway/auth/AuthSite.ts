/** Settings, rate limits and client address lookup that all routes of the authentication service share. */
import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import * as RateLimits from "@venue/domain/RateLimits"
import { LivingGateways } from "@venue/storage/nodes/LivingGateways"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ClientAddress from "../http/ClientAddress.ts"
import { Refused } from "./Refused.ts"

export interface AuthSiteOptions {
  /** The operator's prefix in the names of branded members. */
  readonly brand: string
  /** Public URL of the service with `/auth/v1`, byte for byte as in the `iss` claim of tokens. */
  readonly issuer: string
  /** Origin of the consent page; no other origin is allowed to request consent. */
  readonly consentOrigin: string
  /** Accepted `apikey` values; more than one during a rotation. */
  readonly clientKeys: ReadonlyArray<string>
  readonly captcha: CaptchaRule.Setting
  readonly limits: boolean
  /** Addresses and networks of the proxies whose client address headers are trusted. */
  readonly trustedProxies: ReadonlyArray<string>
  /**
   * True if public clients, such as command-line clients, can refresh a session with a form-encoded request that has
   * no `apikey` header.
   */
  readonly allowPublicFormRefresh: boolean
}

export interface AuthSite extends Omit<AuthSiteOptions, "captcha" | "limits"> {
  readonly captcha: CaptchaRule.CaptchaRule
  readonly clientAddress: ClientAddress.ClientAddress
  readonly limits: Readonly<Record<Limit, RateLimits.RateLimits>>
}

export type Limit = keyof typeof buckets

/** Divides each address's limits by the number of live gateways, because a client can reach every gateway. */
export const make = Effect.fnUntraced(function* (options: AuthSiteOptions) {
  const clock = yield* Clock.Clock
  const nowMillis = () => clock.currentTimeMillisUnsafe()
  const livingGateways = yield* LivingGateways
  const limit = (rate: RateLimits.Rate) =>
    RateLimits.make({ ...rate, enabled: options.limits, nowMillis, sharers: livingGateways })
  const site: AuthSite = {
    ...options,
    captcha: yield* CaptchaRule.make(options.captcha),
    clientAddress: ClientAddress.from(options.trustedProxies),
    limits: {
      signIn: limit(buckets.signIn),
      refresh: limit(buckets.refresh),
      exchange: limit(buckets.exchange),
      revoke: limit(buckets.revoke),
      authorize: limit(buckets.authorize),
      enrol: limit(buckets.enrol),
      calls: limit(buckets.calls)
    }
  }
  return site
})

export const bucketOf = (network: string, who = ""): string => `${network} ${who}`

/** Charges 1 to the rate-limit bucket of the request's network, or to the bucket of `who` within that network. */
export const spend = (
  site: AuthSite,
  limit: Limit,
  request: HttpServerRequest.HttpServerRequest,
  who = ""
): Effect.Effect<void, Refused> =>
  Effect.suspend(() => {
    const network = ClientAddress.network(site.clientAddress(request))
    const waitMillis = site.limits[limit].spend(bucketOf(network, who), 1)
    return waitMillis === 0
      ? Effect.void
      : Effect.fail(new Refused({ refusal: "over_request_rate_limit", retryAfterMillis: waitMillis }))
  })

/** `Retry-After` of a refusal because the queue is full, in ms. The queue is short, so a slot is soon free. */
export const busyMillis = 1_000

const buckets = {
  /** 30 requests per 5 minutes. */
  signIn: { capacity: 30, refillMillis: 300_000 },
  /** 30 requests per minute, because a rejected refresh might cost a client its session. */
  refresh: { capacity: 30, refillMillis: 60_000 },
  exchange: { capacity: 60, refillMillis: 60_000 },
  /** Same rate as for exchanges, but in a separate bucket, so that revocations never block sign-ins. */
  revoke: { capacity: 60, refillMillis: 60_000 },
  authorize: { capacity: 60, refillMillis: 60_000 },
  /** Low, because each enrolment draws a QR code, which takes far more CPU time than any other response. */
  enrol: { capacity: 15, refillMillis: 60_000 },
  /**
   * All other calls that read the database. The capacity also limits how many calls can wait for the database at
   * once.
   */
  calls: { capacity: 300, refillMillis: 60_000 }
} as const
