/** Whose pages may call the authentication service from a browser. No cookies are ever involved. */
import type { CrossOrigin, Route } from "../http/Gate.ts"
import { prefix } from "./Route.ts"

/** Anybody's, but where consent is given: those are for the consent page alone. Other pages of the host are for nobody. */
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

/** Every answer to a page of another site has these headers. */
export const shared = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, www-authenticate"
}

const audience = (routes: ReadonlyArray<Route>): "anybody" | "consent page" | "nobody" => {
  const path = routes[0]?.path ?? ""
  if (path.startsWith(`${prefix}/oauth/authoriz`)) return "consent page"
  return path.startsWith(`${prefix}/`) || path.startsWith("/.well-known/") ? "anybody" : "nobody"
}
