/** Listener for an API that requires credentials; adds CORS, request ids, rate limits and an access log. */
import { headerName } from "@venue/api/Headers"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { Clock, Effect, type Layer } from "effect"
import type { AuthenticationOptions } from "./Authentication.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { crossOrigin } from "./Cors.ts"
import type { Route } from "./Gate.ts"
import * as HttpListener from "./HttpListener.ts"
import * as RequestCharge from "./RequestCharge.ts"
import * as RequestId from "./RequestId.ts"

export interface ApiListenerOptions {
  readonly host: string
  readonly port: number
  /** The operator's header prefix. */
  readonly brand: string
  /** Public URL, if it differs from the listening address. */
  readonly publicUrl?: string | undefined
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Name of the header in which the nearest trusted proxy sends the request's country as a two-letter code. */
  readonly countryHeader?: string | undefined
  readonly accessLog?: boolean
  /** Rate limits by client address, shared by all APIs of a node; default: separate limits for this API. */
  readonly limits?: RateLimits.RateLimits
}

export interface ApiSite<R> {
  readonly what: string
  readonly routes: ReadonlyArray<Route>
  readonly layer: (authentication: AuthenticationOptions) => Layer.Layer<never, never, R>
  /**
   * Returns true for routes to compress in addition to the public ones. Must return false if a response combines
   * private data with text that an attacker can choose.
   */
  readonly isGzipped?: (route: Route) => boolean
}

export const addressLimits = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { rateLimits } = yield* VenueSettings
  return RateLimits.make({
    ...restRates.requests,
    enabled: rateLimits,
    nowMillis: () => clock.currentTimeMillisUnsafe()
  })
})

export const listen = Effect.fnUntraced(function* <R>(options: ApiListenerOptions, site: ApiSite<R>) {
  const clock = yield* Clock.Clock
  const { accessLog = false, brand, countryHeader, trustedProxies = [] } = options
  const { isGzipped = () => false, layer, routes, what } = site
  const addressOf = ClientAddress.from(trustedProxies)
  const countryOf = ClientAddress.countryFrom(trustedProxies, countryHeader)
  const limits = options.limits ?? (yield* addressLimits)
  const serverTime = headerName(brand, "server-time")
  return yield* HttpListener.listen({ ...options, what }, (baseUrl) => {
    const { admit, quotaHeaders } = RequestCharge.of({ baseUrl, routes, limits, addressOf })
    return {
      crossOrigin: crossOrigin(brand),
      layer: layer({ brand, limits, addressOf, countryOf }),
      routes,
      admit,
      idOf: RequestId.from(trustedProxies),
      isGzipped: (route) => RequestCharge.payerOf(route) === "address" || isGzipped(route),
      accessLog,
      answerHeaders: (request, notes, status) => ({
        ...quotaHeaders(request, notes),
        ...(status === 401 ? { [serverTime]: String(clock.currentTimeMillisUnsafe()) } : undefined)
      })
    }
  })
})
