/** Listener of an API with credentials: CORS, request ids, rate limits and access log. */
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
  /** The operator's prefix of headers. */
  readonly brand: string
  /** Public URL, if it differs from the listening address. */
  readonly publicUrl?: string | undefined
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** Header in which the nearest trusted proxy sends the country of a request, as two letters. */
  readonly countryHeader?: string | undefined
  /** Logs each request. */
  readonly accessLog?: boolean
  /** Rate limits of addresses, shared by all APIs of a node; default: limits of its own. */
  readonly limits?: RateLimits.RateLimits
}

export interface ApiSite<R> {
  readonly what: string
  readonly routes: ReadonlyArray<Route>
  readonly layer: (authentication: AuthenticationOptions) => Layer.Layer<never, never, R>
  /** True for compressed routes besides public ones. Private figures next to attacker-chosen text must not be compressed. */
  readonly isGzipped?: (route: Route) => boolean
}

/** Returns new rate limits of addresses for this node. */
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
