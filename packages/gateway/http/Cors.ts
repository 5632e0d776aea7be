/** Whose pages may call REST from a browser: anybody's with a token they hold, since no cookies are ever involved. */
import { headerName, neutralBrand } from "@venue/api/Headers"
import { replayedHeader } from "@venue/api/Repeatable"
import type { CrossOrigin, Route } from "./Gate.ts"

export const crossOrigin = (brand: string): CrossOrigin => {
  const shared = {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": [...exposed, headerName(brand, "server-time")].join(", ")
  }
  const asked = [brand, neutralBrand].map((prefix) => headerName(prefix, "requested-account-id"))
  const allowed = ["authorization", "content-type", "idempotency-key", ...new Set(asked)].join(", ")
  return {
    requestHeaders: (routes) => (isForPages(routes) ? allowed : undefined),
    answerHeaders: (routes) => (isForPages(routes) ? shared : none)
  }
}

/** What a page of another site may read besides the body. */
const exposed = [
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "x-request-id",
  replayedHeader
]

const none = {}

/** The key of another user is for a builder's backend alone. */
const isForPages = (routes: ReadonlyArray<Route>): boolean =>
  routes.length > 0 && routes.every(({ path }) => path !== "/builder/web3/api-key" && !path.startsWith("/provider/"))
