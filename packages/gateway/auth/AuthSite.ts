/** Settings, rate limits and client addresses that all routes of the authentication service share. */
import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import * as RateLimits from "@venue/domain/RateLimits"
import { LivingGateways } from "@venue/storage/nodes/LivingGateways"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ClientAddress from "../http/ClientAddress.ts"
import { Refused } from "./Refused.ts"

export interface AuthSiteOptions {
  /** Operator's prefix of branded members. */
  readonly brand: string
  /** Public URL of the service with `/auth/v1`, byte for byte as in the `iss` claim of tokens. */
  readonly issuer: string
  /** Origin of the consent page; no other origin may request consent. */
  readonly consentOrigin: string
  /** Accepted `apikey` values; several during a rotation. */
  readonly clientKeys: ReadonlyArray<string>
  readonly captcha: CaptchaRule.Setting
  readonly limits: boolean
  /** Addresses and networks of the proxies that are trusted to name the client. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Allows refreshes of public clients' sessions by a form without `apikey`, as command-line clients send them. */
  readonly allowPublicFormRefresh: boolean
}

export interface AuthSite extends Omit<AuthSiteOptions, "captcha" | "limits"> {
  readonly captcha: CaptchaRule.CaptchaRule
  readonly clientAddress: ClientAddress.ClientAddress
  readonly limits: Readonly<Record<Limit, RateLimits.RateLimits>>
}

export type Limit = keyof typeof buckets

/** Divides the limits of an address by the number of live gateways, since an address can reach each of them. */
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

/** Takes 1 from the bucket of the request's network, or from the bucket of `who` within that network. */
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

/** `Retry-After` of a full queue, in ms: the queue is short, so a place is free soon. */
export const busyMillis = 1_000

const buckets = {
  /** 30 in 5 minutes. */
  signIn: { capacity: 30, refillMillis: 300_000 },
  /** 30 per minute, 150 in 5 minutes: a rejected refresh may cost a client its session. */
  refresh: { capacity: 30, refillMillis: 60_000 },
  exchange: { capacity: 60, refillMillis: 60_000 },
  /** As many as exchanges, in a bucket of its own: revocations never block sign-ins. */
  revoke: { capacity: 60, refillMillis: 60_000 },
  authorize: { capacity: 60, refillMillis: 60_000 },
  /** Each draws a QR code, which takes far more CPU time than any other answer. */
  enrol: { capacity: 15, refillMillis: 60_000 },
  /** All other calls that read the database; the capacity is also the maximum number that wait for it at once. */
  calls: { capacity: 300, refillMillis: 60_000 }
} as const
