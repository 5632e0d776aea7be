/** Routes of the authentication service: each ends in an answer or a refusal, and here refusals become answers. */
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

/** Under this path of the issuer's host is everything but the pages and one of the discovery addresses. */
export const prefix = "/auth/v1"

/** Faults on our side get an id, which the log has too when it tells of the cause. */
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

/** What the log tells of a fault is its cause and this id, never the request; of a database that is out it tells already. */
export const fault = (why: AuthError.Refusal, cause: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.suspend(() => {
    const errorId = SecureRandom.uuidV4Unsafe()
    return Effect.as(
      DatabaseOutage.report(
        Cause.isCause(cause) ? cause : Cause.fail(cause),
        Effect.annotateLogs(Effect.logError("a request of the authentication service failed", cause), { errorId })
      ),
      refusal(why, {}, { errorId })
    )
  })

/** A route under the prefix. The log has its path and never its query, which holds codes and states. */
export const route = <R>(
  { clientAddress }: AuthSite,
  method: HttpMethod.HttpMethod,
  path: HttpRouter.PathInput,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Refused | CaptchaUnavailable | DatabaseUnavailable, R>,
  /** Every answer has them, refusals too. */
  headers: Readonly<Record<string, string>> = {}
) => {
  const told = (request: HttpServerRequest.HttpServerRequest, outcome: string) =>
    Effect.annotateLogs(Effect.logInfo(`${method} ${path}`), { outcome, address: clientAddress(request) })
  return HttpRouter.route(
    method,
    `${prefix}${path}`,
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      handler.pipe(
        Effect.tap(() => told(request, "done")),
        Effect.catchTags({
          Refused: ({ description, refusal: why, retryAfterMillis }) =>
            Effect.as(
              told(request, why),
              refusal(why, retryAfterMillis === undefined ? {} : retryAfter(retryAfterMillis), { description })
            ),
          CaptchaUnavailable: (error) =>
            Effect.andThen(told(request, "captcha_unavailable"), fault("captcha_unavailable", error)),
          DatabaseUnavailable: (error) => Effect.andThen(told(request, "unavailable"), fault("unavailable", error))
        }),
        Effect.map(HttpServerResponse.setHeaders(headers))
      )
    )
  )
}
