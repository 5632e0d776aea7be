/** Whose pages may call the authentication service from a browser. No cookies are ever involved. */
import { HttpServerResponse } from "effect/http"
import type { CrossOrigin, Route } from "../rest/Gate.ts"
import { prefix } from "./Answer.ts"

/** Anybody's, but where consent is given: those are for the consent page alone. Other pages of the host are for nobody. */
export const crossOrigin = (consentOrigin: string): CrossOrigin => ({
  preflight: (routes) => {
    const methods = routes.map(({ method }) => method).join(", ")
    return HttpServerResponse.empty({
      status: 204,
      headers: {
        allow: methods,
        ...(audience(routes) === "nobody"
          ? {}
          : {
              "access-control-allow-methods": methods,
              "access-control-allow-headers": requestHeaders,
              "access-control-max-age": "600"
            })
      }
    })
  },
  share: (response, routes) => {
    switch (audience(routes)) {
      case "anybody":
        return HttpServerResponse.setHeaders(response, { "access-control-allow-origin": "*", ...exposed })
      case "consent page":
        return HttpServerResponse.setHeaders(response, {
          "access-control-allow-origin": consentOrigin,
          vary: "Origin",
          ...exposed
        })
      case "nobody":
        return response
    }
  }
})

const requestHeaders = "authorization, apikey, content-type, x-client-info, x-supabase-api-version"

const exposed = { "access-control-expose-headers": "retry-after, www-authenticate" }

const audience = (routes: ReadonlyArray<Route>): "anybody" | "consent page" | "nobody" => {
  const path = routes[0]?.path ?? ""
  if (path.startsWith(`${prefix}/oauth/authoriz`)) return "consent page"
  return path.startsWith(`${prefix}/`) || path.startsWith("/.well-known/") ? "anybody" : "nobody"
}
