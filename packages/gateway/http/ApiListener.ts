/** An interface of endpoints that callers with credentials ask, behind its gate: all such interfaces are met alike. */
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
  /** Where clients find it, when that is not where it listens. */
  readonly publicUrl?: string | undefined
  /** Addresses and networks of proxies of ours, that say whose request they pass on. */
  readonly trustedProxies?: ReadonlyArray<string>
  /** In which the proxy that speaks to us writes the country the request comes from, as two letters. */
  readonly countryHeader?: string | undefined
  /** Whether each request is told in the log. */
  readonly accessLog?: boolean
  /** What addresses may ask without credentials; one for all interfaces of a node, and its own where there is none. */
  readonly limits?: RateLimits.RateLimits
}

export interface ApiSite<R> {
  readonly what: string
  readonly routes: ReadonlyArray<Route>
  readonly layer: (authentication: AuthenticationOptions) => Layer.Layer<never, never, R>
  /** More that is gzipped than what is for everybody. An account's figures beside what a page of another site asked are not. */
  readonly isGzipped?: (route: Route) => boolean
}

/** Of addresses, on this node. */
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
