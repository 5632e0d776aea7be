/** Checks that run before a request's route, and the headers and problems of its response. */
import { ByteSize, Cause, Context, Effect, identity, References } from "effect"
import {
  FindMyWay,
  HttpIncomingMessage,
  type HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import * as DetachedBody from "./DetachedBody.ts"
import * as AccessLog from "./AccessLog.ts"
import type { Within } from "./Deadlines.ts"
import type { Gzip } from "./Gzip.ts"
import type { Wording } from "./PlainHttp.ts"
import { fresh, type RequestIdOf } from "./RequestId.ts"
import { withPlainNumbers } from "./PlainNumbers.ts"
import * as RequestNotes from "./RequestNotes.ts"
import { shortly } from "./Refusal.ts"

export interface Route {
  readonly method: string
  readonly path: string
}

/** Returns the name by which access rules and rate-limit weights refer to a route, such as `GET /user/trade`. */
export const actionOf = ({ method, path }: Route): string => `${method} ${path}`

/** Returns the routes of every endpoint in an API. */
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

export type RefusalReason =
  | "no-such-path"
  | "method-not-allowed"
  | "body-too-large"
  | "body-not-json"
  | "invalid-request"
  | "deadline-passed"

/** Refusal responses of one listener. */
export interface Refusals {
  readonly refuse: (
    reason: RefusalReason,
    headers?: Readonly<Record<string, string>>,
    /** Text for this occurrence, which replaces the default text. */
    detail?: string
  ) => HttpServerResponse.HttpServerResponse
  /** Logs a defect and returns its response. */
  readonly unexpected: (cause: Cause.Cause<unknown>) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  /** Adds the request id to an error response. */
  readonly identified: (
    answer: HttpServerResponse.HttpServerResponse,
    requestId: string
  ) => HttpServerResponse.HttpServerResponse
  /** Returns the response to bytes that are rejected before the gate, such as invalid HTTP. */
  readonly unparsable: Wording
}

type AnswerHeaders = Readonly<Record<string, string>>

/** CORS policy. `routes` are all routes of the path, with any method. */
export interface CrossOrigin {
  /** Permitted request headers, comma-separated; undefined if the path allows no cross-origin requests. */
  readonly requestHeaders: (routes: ReadonlyArray<Route>) => string | undefined
  /** Headers of every response, including refusals, because a page cannot read an error without them. */
  readonly answerHeaders: (routes: ReadonlyArray<Route>) => AnswerHeaders
}

export interface GateOptions {
  readonly refusals: Refusals
  /** Applies the request deadline. */
  readonly within: Within
  /** All routes, to distinguish a wrong method from a wrong path. */
  readonly routes: ReadonlyArray<Route>
  /** Accepted bodies; default: JSON only. */
  readonly bodies?: "json" | "any"
  /** If undefined, `OPTIONS` is a wrong method and cross-origin pages cannot read responses. */
  readonly crossOrigin?: CrossOrigin
  /** Called with the request's route. A returned response ends the request. */
  readonly admit?: (
    request: HttpServerRequest.HttpServerRequest,
    route: Route,
    notes: RequestNotes.RequestNotes
  ) => HttpServerResponse.HttpServerResponse | undefined
  readonly answerHeaders?: (
    request: HttpServerRequest.HttpServerRequest,
    notes: RequestNotes.RequestNotes,
    status: number
  ) => AnswerHeaders
  /** Returns the id of a request; default: a new id. */
  readonly idOf?: RequestIdOf
  readonly gzip?: Gzip
  /** True for routes that are safe to compress, because the response length reveals no secret; default: no route. */
  readonly isGzipped?: (route: Route) => boolean
  readonly accessLog?: boolean
  /** Called with each response: its route, or undefined for an unknown path, and its duration until the head. */
  readonly measured?: (route: Route | undefined, status: number, seconds: number) => void
}

/** Wraps an application in the gate's checks. */
export const gate = <E, R>(
  {
    accessLog = false,
    admit = () => undefined,
    answerHeaders,
    bodies = "json",
    crossOrigin,
    gzip = identity,
    idOf = fresh,
    isGzipped = () => false,
    measured,
    refusals,
    routes,
    within
  }: GateOptions,
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const table = FindMyWay.make<Route>()
  for (const route of routes) table.on(route.method, route.path as FindMyWay.PathInput, route)
  const methods = Array.from(new Set(routes.map(({ method }) => method)))
  const samePath = Map.groupBy(routes, ({ path }) => path)
  const gzipped = new Set(routes.filter(isGzipped))
  const written = Effect.map(app, withPlainNumbers)
  const zipped = gzip(written)

  const routesAt = (url: string) => methods.flatMap((method) => table.find(method, url)?.handler ?? [])
  /** Returns the response to a request that matches no route. */
  const unserved = (method: string, here: ReadonlyArray<Route>) => {
    const allowed = allowOf(here, crossOrigin)
    if (here.length === 0) return refusals.refuse("no-such-path")
    if (!allowed.includes(method)) return refusals.refuse("method-not-allowed", { allow: allowed.join(", ") })
    return crossOrigin !== undefined && method === "OPTIONS" ? preflight(here, crossOrigin) : undefined
  }
  /**
   * Returns the response to a request that is refused before it reaches its route, or undefined if it is not refused.
   */
  const refused = (
    request: HttpServerRequest.HttpServerRequest,
    served: Route | undefined,
    here: ReadonlyArray<Route>,
    notes: RequestNotes.RequestNotes
  ) => {
    const answer = served === undefined ? unserved(request.method, here) : undefined
    if (answer !== undefined) return answer
    const { headers } = request
    if (Number(headers["content-length"] ?? 0) > maxBodyBytes) return refusals.refuse("body-too-large")
    if (bodies === "json" && hasBody(headers) && !isPlainJson(headers)) return refusals.refuse("body-not-json")
    // Only a HEAD request has no route of its own at this point; the GET route serves it.
    return admit(request, served ?? here.find(({ method }) => method === "GET")!, notes)
  }

  const failed = failing(refusals)

  /** Replaces the 415 that the library sends for an empty body with a non-JSON content type. */
  const worded = (answer: HttpServerResponse.HttpServerResponse) =>
    answer.status === 415 && bodies === "json" ? refusals.refuse("body-not-json") : answer

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const notes = RequestNotes.of(idOf(request))
    const served = table.find(request.method, request.url)?.handler
    const here = served === undefined ? routesAt(request.url) : samePath.get(served.path)!
    const finished = (answer: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.setHeaders(
        answer.status < 400 ? answer : withPlainNumbers(refusals.identified(answer, notes.id)),
        {
          ...usualHeaders(answer),
          "x-request-id": notes.id,
          ...answerHeaders?.(request, notes, answer.status),
          ...crossOrigin?.answerHeaders(here)
        }
      )
    const inner = detached(here.some((route) => gzipped.has(route)) ? zipped : written, request)
    const refusal = refused(request, served, here, notes)
    const answer =
      refusal === undefined
        ? within(inner, () => tooLate(refusals, request)).pipe(
            Effect.map(worded),
            Effect.catchCause(failed),
            Effect.map(finished),
            noted(notes)
          )
        : Effect.succeed(finished(refusal))
    const timed = measured === undefined ? answer : measuredBy(answer, (status, at) => measured(served, status, at))
    return accessLog ? AccessLog.logged(timed, request, here[0]?.path, notes) : timed
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes)))
}

/** Calls `measured` with the status and the duration of an answer, in seconds. */
const measuredBy = <E, R>(
  self: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  measured: (status: number, seconds: number) => void
) =>
  Effect.clockWith((clock) => {
    const beganAt = clock.monotonicTimeNanosUnsafe()
    return Effect.map(self, (answer) => {
      measured(answer.status, Number(clock.monotonicTimeNanosUnsafe() - beganAt) / 1e9)
      return answer
    })
  })

/** Returns the response to a failed request. */
const failing =
  (refusals: Refusals) =>
  <E>(cause: Cause.Cause<E>) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const error = Cause.squash(cause)
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    if (isUnreadable(error)) {
      const isTooLarge = error.reason.reason === "BodyTooLarge"
      return Effect.succeed(refusals.refuse(isTooLarge ? "body-too-large" : "invalid-request"))
    }
    return refusals.unexpected(cause)
  }

/** Returns the response sent at the deadline. Closes the connection if the body has not fully arrived. */
const tooLate = (refusals: Refusals, request: HttpServerRequest.HttpServerRequest) =>
  isArriving(request)
    ? refusals.refuse("deadline-passed", { connection: "close" }, noBody)
    : refusals.refuse("deadline-passed")

/** Runs an effect with a request whose body read survives an interruption at the deadline. */
const detached = <A, E, R>(self: Effect.Effect<A, E, R>, request: HttpServerRequest.HttpServerRequest) =>
  hasBody(request.headers)
    ? Effect.provideService(self, HttpServerRequest.HttpServerRequest, DetachedBody.of(request))
    : self

/** Provides a request's notes, and adds the request id to its log lines. */
const noted =
  (notes: RequestNotes.RequestNotes) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(self, (services: Context.Context<R>) =>
      services.pipe(
        Context.add(RequestNotes.RequestNotes, notes),
        Context.add(References.CurrentLogAnnotations, {
          ...Context.get(services, References.CurrentLogAnnotations),
          requestId: notes.id
        })
      )
    )

const methodsOf = (routes: ReadonlyArray<Route>): ReadonlyArray<string> => routes.map(({ method }) => method)

/** Returns a path's methods for the `Allow` header. */
const allowOf = (routes: ReadonlyArray<Route>, crossOrigin: CrossOrigin | undefined): ReadonlyArray<string> => {
  const methods = methodsOf(routes)
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), ...(crossOrigin === undefined ? [] : ["OPTIONS"])]
}

const preflight = (routes: ReadonlyArray<Route>, crossOrigin: CrossOrigin) => {
  const requestHeaders = crossOrigin.requestHeaders(routes)
  const granted = requestHeaders !== undefined && {
    "access-control-allow-methods": methodsOf(routes).join(", "),
    "access-control-allow-headers": requestHeaders,
    "access-control-max-age": "600"
  }
  return HttpServerResponse.empty({
    status: 204,
    headers: { allow: allowOf(routes, crossOrigin).join(", "), ...granted }
  })
}

/** Returns default headers: `no-store`, and `Retry-After` for a 503. */
const usualHeaders = ({ headers, status }: HttpServerResponse.HttpServerResponse): AnswerHeaders => ({
  ...(headers["cache-control"] === undefined ? unkept : undefined),
  ...(status === 503 && headers["retry-after"] === undefined ? shortly : undefined)
})
const unkept = { "cache-control": "no-store" }

const maxBodyBytes = 64 * 1024

/** Request deadline in ms. It is longer than every timeout behind the gate, so it ends only requests that hang. */
export const deadlineMillis = 15_000

type Headers = Readonly<Record<string, string | undefined>>

const isPlainJson = (headers: Headers): boolean =>
  /^\s*application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") &&
  /^\s*(identity\s*)?$/i.test(headers["content-encoding"] ?? "")

const noBody = `The request body did not arrive within ${deadlineMillis / 1_000} seconds; nothing was done. Send the request again.`

/** True if part of the body has not yet arrived. */
const isArriving = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(headers) && "complete" in source && source.complete === false

const hasBody = (headers: Headers): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** True for a body that could not be read. */
const isUnreadable = (
  error: unknown
): error is HttpServerError.HttpServerError & { readonly reason: HttpServerError.RequestParseError } =>
  (error as Partial<HttpServerError.HttpServerError> | undefined)?._tag === "HttpServerError" &&
  (error as HttpServerError.HttpServerError).reason._tag === "RequestParseError"
