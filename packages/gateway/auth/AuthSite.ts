/** What every part of the authentication service knows of the place it is served at. */
import * as CaptchaRule from "@venue/auth/wallet/CaptchaRule"
import * as RateLimits from "@venue/domain/RateLimits"
import { LivingGateways } from "@venue/storage/nodes/LivingGateways"
import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as ClientAddress from "../http/ClientAddress.ts"
import { Refused } from "./Refused.ts"

export interface AuthSiteOptions {
  /** The operator's prefix of members. */
  readonly brand: string
  /** The public address of the service with `/auth/v1`, byte for byte as tokens name it. */
  readonly issuer: string
  /** The pages that may ask for a user's consent are of this origin. */
  readonly consentOrigin: string
  /** What clients send as `apikey`; several while one replaces another. */
  readonly clientKeys: ReadonlyArray<string>
  readonly captcha: CaptchaRule.Setting
  readonly limits: boolean
  /** Addresses and networks whose word on who is calling is taken. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Sessions of public OAuth clients may be refreshed by a form without an `apikey`, as command-line clients do. */
  readonly allowPublicFormRefresh: boolean
}

export interface AuthSite extends Omit<AuthSiteOptions, "captcha" | "limits"> {
  readonly captcha: CaptchaRule.CaptchaRule
  readonly clientAddress: ClientAddress.ClientAddress
  readonly limits: Readonly<Record<Limit, RateLimits.RateLimits>>
}

export type Limit = keyof typeof buckets

/** What an address may ask is divided by the gateways that live: it may come to each. */
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

/** Takes one from the bucket of the request's address, or of what asks from there. */
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

/** When to come again where too many wait: the queue is short, and soon another. */
export const busyMillis = 1_000

const buckets = {
  /** 30 in five minutes. */
  signIn: { capacity: 30, refillMillis: 300_000 },
  /** 150 in five minutes, of which 30 at once: a refresh that is refused may cost a client its session. */
  refresh: { capacity: 30, refillMillis: 60_000 },
  exchange: { capacity: 60, refillMillis: 60_000 },
  /** As many as there are exchanges, and none of those: who signs out many does not keep others from signing in. */
  revoke: { capacity: 60, refillMillis: 60_000 },
  authorize: { capacity: 60, refillMillis: 60_000 },
  /** Each draws a picture, which takes this process many times longer than an answer. */
  enrol: { capacity: 15, refillMillis: 60_000 },
  /** Whatever else asks the database for whoever comes pays here; what a bucket holds is what may wait there at once. */
  calls: { capacity: 300, refillMillis: 60_000 }
} as const
