/** Routes of the authentication service, and conversion of refusals to responses. */
import * as AuthError from "@venue/api/auth/AuthError"
import type { CaptchaUnavailable } from "@venue/providers/Captcha"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Cause, Effect } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { type HttpMethod, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { retryAfter } from "../http/Refusal.ts"
import type { AuthSite } from "./AuthSite.ts"
import type { Refused } from "./Refused.ts"

/** Path of the service under the issuer's host; only the pages and one discovery URL are outside it. */
export const prefix = "/auth/v1"

/** Returns the response to a refusal. A server error has an id, which also appears in its log line. */
export const refusal = (
  why: AuthError.Refusal,
  headers: Readonly<Record<string, string>> = {},
  { description, errorId = SecureRandom.uuidV4Unsafe() }: { description?: string | undefined; errorId?: string } = {}
): HttpServerResponse.HttpServerResponse => {
  const status = AuthError.statusOf(why)
  return HttpServerResponse.jsonUnsafe(AuthError.body(why, status < 500 ? undefined : errorId, description), {
    status,
    headers: { ...AuthError.headersOf(why), ...headers }
  })
}

/** Logs a server error's cause and id, but not the request. A database outage is logged once elsewhere. */
export const fault = (why: AuthError.Refusal, cause: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.suspend(() => {
    const errorId = SecureRandom.uuidV4Unsafe()
    return Effect.as(
      DatabaseOutage.report(
        Cause.isCause(cause) ? cause : Cause.fail(cause),
        Effect.annotateLogs(Effect.logError("a request to the authentication service failed", cause), { errorId })
      ),
      refusal(why, {}, { errorId })
    )
  })

/** Returns a route under the prefix. Logs the path without the query, because the query contains codes and states. */
export const route = <R>(
  { clientAddress }: AuthSite,
  method: HttpMethod.HttpMethod,
  path: HttpRouter.PathInput,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Refused | CaptchaUnavailable | DatabaseUnavailable, R>,
  /** Headers of every response, including refusals. */
  headers: Readonly<Record<string, string>> = {}
) => {
  const logged = (request: HttpServerRequest.HttpServerRequest, outcome: string) =>
    Effect.annotateLogs(Effect.logInfo(`${method} ${path}`), { outcome, address: clientAddress(request) })
  return HttpRouter.route(
    method,
    `${prefix}${path}`,
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      handler.pipe(
        Effect.tap(() => logged(request, "done")),
        Effect.catchTags({
          Refused: ({ description, refusal: why, retryAfterMillis }) =>
            Effect.as(
              logged(request, why),
              refusal(why, retryAfterMillis === undefined ? {} : retryAfter(retryAfterMillis), { description })
            ),
          CaptchaUnavailable: (error) =>
            Effect.andThen(logged(request, "captcha_unavailable"), fault("captcha_unavailable", error)),
          DatabaseUnavailable: (error) => Effect.andThen(logged(request, "unavailable"), fault("unavailable", error))
        }),
        Effect.map(HttpServerResponse.setHeaders(headers))
      )
    )
  )
}
