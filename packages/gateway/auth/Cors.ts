/** CORS policy of the authentication service, which uses no cookies. */
import type { CrossOrigin, Route } from "../http/Gate.ts"
import { prefix } from "./Route.ts"

/**
 * Returns the policy. Every origin can call the API, only the consent page's origin can call the consent endpoints,
 * and the pages allow no cross-origin requests.
 */
export const crossOrigin = (consentOrigin: string): CrossOrigin => ({
  requestHeaders: (routes) => (audience(routes) === "nobody" ? undefined : requestHeaders),
  answerHeaders: (routes) => {
    switch (audience(routes)) {
      case "anybody":
        return shared
      case "consent page":
        return { ...shared, "access-control-allow-origin": consentOrigin, vary: "Origin" }
      case "nobody":
        return {}
    }
  }
})

const requestHeaders = "authorization, apikey, content-type, x-client-info, x-supabase-api-version"

/** Headers of every response to a cross-origin page. */
export const shared = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, www-authenticate"
}

const audience = (routes: ReadonlyArray<Route>): "anybody" | "consent page" | "nobody" => {
  const path = routes[0]?.path ?? ""
  if (path.startsWith(`${prefix}/oauth/authoriz`)) return "consent page"
  return path.startsWith(`${prefix}/`) || path.startsWith("/.well-known/") ? "anybody" : "nobody"
}
