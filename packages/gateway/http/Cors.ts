/** CORS policy of the REST API. Any page can call it with an access token, because the API uses no cookies. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import { replayedHeader } from "@venue/api/Repeatable"
import type { CrossOrigin, Route } from "./Gate.ts"

export const crossOrigin = (brand: string): CrossOrigin => {
  const shared = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": [...exposed, headerName(brand, "server-time")].join(", ")
  }
  const accountHeaders = [brand, neutralBrand].map((prefix) => headerName(prefix, "requested-account-id"))
  const allowed = ["authorization", "content-type", "idempotency-key", ...new Set(accountHeaders)].join(", ")
  return {
    requestHeaders: (routes) => (isForPages(routes) ? allowed : undefined),
    answerHeaders: (routes) => (isForPages(routes) ? shared : none)
  }
}

/** Response headers that a cross-origin page is allowed to read. */
const exposed = [
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "x-request-id",
  replayedHeader
]

const none = {}

/** False for builder key registration and provider callbacks, which only backends call. */
const isForPages = (routes: ReadonlyArray<Route>): boolean =>
  routes.length > 0 && routes.every(({ path }) => path !== "/builder/web3/api-key" && !path.startsWith("/provider/"))
