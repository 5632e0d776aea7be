/** Whose pages may call REST from a browser: anybody's with a token they hold, since no cookies are ever involved. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import { HttpServerResponse } from "effect/http"
import type { CrossOrigin, Route } from "./Gate.ts"

export const crossOrigin = (brand: string): CrossOrigin => {
  const asked = [brand, neutralBrand].map((prefix) => headerName(prefix, "requested-account-id"))
  const allowed = ["authorization", "content-type", ...new Set(asked)].join(", ")
  return {
    requestHeaders: (routes) => (isForPages(routes) ? allowed : undefined),
    share: (response, routes) => (isForPages(routes) ? HttpServerResponse.setHeaders(response, shared) : response)
  }
}

/** Every answer to a page of another site has these headers. */
export const shared = { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after" }

/** The key of another user is for a builder's backend alone. */
const isForPages = (routes: ReadonlyArray<Route>): boolean =>
  routes.length > 0 && routes.every(({ path }) => path !== "/builder/web3/api-key" && !path.startsWith("/provider/"))
