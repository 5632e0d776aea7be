/** What every request passes before and after the routes: whatever its bytes, the answer is a problem or the resource. */
import { Cause, ByteSize, Effect } from "effect"
import {
  FindMyWay,
  HttpIncomingMessage,
  type HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { refusal } from "./Refusal.ts"

export interface Route {
  readonly method: string
  readonly path: string
}

/** Every endpoint of an API. */
export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      routes.push({ method, path })
    }
  })
  return routes
}

export interface GateOptions {
  readonly baseUrl: string
  /** Everything that is served, to tell a wrong method from a wrong path. */
  readonly routes: ReadonlyArray<Route>
  /** Asked once the path is known; an answer of its own ends the request. */
  readonly admit?: (request: HttpServerRequest.HttpServerRequest) => HttpServerResponse.HttpServerResponse | undefined
}

export const gate = <E, R>(
  { admit = () => undefined, baseUrl, routes }: GateOptions,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const table = FindMyWay.make<true>()
  for (const { method, path } of routes) table.on(method, path as FindMyWay.PathInput, true)
  const methods = Array.from(new Set(routes.map(({ method }) => method)))

  /** Why it does not even reach its route. */
  const refused = (request: HttpServerRequest.HttpServerRequest) => {
    const allowed = methods.filter((method) => table.find(method, request.url) !== undefined)
    if (allowed.includes("GET")) allowed.push("HEAD")
    if (allowed.length === 0) return refusal(baseUrl, 404, "no-such-path")
    if (!allowed.includes(request.method)) {
      return refusal(baseUrl, 405, "method-not-allowed", { allow: allowed.join(", ") })
    }
    const { headers } = request
    if (Number(headers["content-length"] ?? 0) > maxBodyBytes) return refusal(baseUrl, 413, "body-too-large")
    if (hasBody(headers) && !(isJson.test(headers["content-type"] ?? "") && isPlain(headers["content-encoding"]))) {
      return refusal(baseUrl, 415, "body-not-json")
    }
    return admit(request)
  }

  const failed = (cause: Cause.Cause<E>) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const error = Cause.squash(cause)
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    if (isUnreadable(error)) {
      return Effect.succeed(
        error.reason.reason === "BodyTooLarge"
          ? refusal(baseUrl, 413, "body-too-large")
          : refusal(baseUrl, 400, "invalid-request")
      )
    }
    return Effect.as(Effect.logError("a request failed", cause), refusal(baseUrl, 500, "unexpected"))
  }

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const answer = refused(request)
    return answer === undefined ? app : Effect.succeed(answer)
  }).pipe(
    Effect.timeoutOrElse({
      duration: deadline,
      orElse: () => Effect.succeed(refusal(baseUrl, 504, "deadline-passed"))
    }),
    Effect.catchCause(failed),
    Effect.map((answer) =>
      answer.headers["cache-control"] === undefined
        ? HttpServerResponse.setHeader(answer, "cache-control", "no-store")
        : answer
    ),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes))
  )
}

const maxBodyBytes = 64 * 1024

/** Longer than anything behind it waits; what a silent database holds up ends here. */
const deadline = "15 seconds"

const isJson = /^\s*application\/json\s*(;|$)/i

const isPlain = (encoding: string | undefined): boolean => encoding === undefined || /^\s*identity\s*$/i.test(encoding)

const hasBody = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** The body could not be read as it was sent. */
const isUnreadable = (
  error: unknown
): error is HttpServerError.HttpServerError & { readonly reason: HttpServerError.RequestParseError } =>
  (error as Partial<HttpServerError.HttpServerError> | undefined)?._tag === "HttpServerError" &&
  (error as HttpServerError.HttpServerError).reason._tag === "RequestParseError"
