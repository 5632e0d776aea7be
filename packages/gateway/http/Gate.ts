/** What every request passes before and after the routes: whatever its bytes, the answer is a refusal or the resource. */
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

/** As rules and weights name it. */
export const actionOf = ({ method, path }: Route): string => `${method} ${path}`

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

/** Why an address answers without asking its routes. */
export type Objection =
  | "no-such-path"
  | "method-not-allowed"
  | "body-too-large"
  | "body-not-json"
  | "invalid-request"
  | "deadline-passed"

/** How one address words its refusals. */
export interface Refusals {
  readonly refuse: (
    objection: Objection,
    headers?: Readonly<Record<string, string>>,
    /** Words for this one occurrence, in place of the usual ones. */
    detail?: string
  ) => HttpServerResponse.HttpServerResponse
  /** Answers what nobody expected, and logs it. */
  readonly unexpected: (cause: Cause.Cause<unknown>) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  /** Names the request in its answer, where that tells what went wrong. */
  readonly identified: (
    answer: HttpServerResponse.HttpServerResponse,
    requestId: string
  ) => HttpServerResponse.HttpServerResponse
  /** Words what reaches no gate, such as bytes that are not HTTP. */
  readonly unparsable: Wording
}

/** Headers of an answer. */
type Answered = Readonly<Record<string, string>>

/** Pages of other sites that may ask; `routes` are those of the path, with any method. */
export interface CrossOrigin {
  /** The request headers they may send, comma between; undefined where they may not ask at all. */
  readonly requestHeaders: (routes: ReadonlyArray<Route>) => string | undefined
  /** Every answer has them, refusals too: without them the page may not even read what was wrong. */
  readonly answerHeaders: (routes: ReadonlyArray<Route>) => Answered
}

export interface GateOptions {
  readonly refusals: Refusals
  /** Ends a request that takes too long. */
  readonly within: Within
  /** Everything that is served, to tell a wrong method from a wrong path. */
  readonly routes: ReadonlyArray<Route>
  /** JSON alone is let in, unless the routes look at their bodies themselves. */
  readonly bodies?: "json" | "any"
  /** Without it `OPTIONS` is a wrong method, and other sites' pages read nothing. */
  readonly crossOrigin?: CrossOrigin
  /** Asked once it is known what is asked; an answer of its own ends the request. */
  readonly admit?: (
    request: HttpServerRequest.HttpServerRequest,
    route: Route,
    notes: RequestNotes.RequestNotes
  ) => HttpServerResponse.HttpServerResponse | undefined
  /** What every answer says of how it was handled. */
  readonly answerHeaders?: (
    request: HttpServerRequest.HttpServerRequest,
    notes: RequestNotes.RequestNotes,
    status: number
  ) => Answered
  /** One of our own, unless told otherwise. */
  readonly idOf?: RequestIdOf
  readonly gzip?: Gzip
  /** What may be gzipped: its length tells nothing that is secret. By default nothing is. */
  readonly isGzipped?: (route: Route) => boolean
  /** Whether each request is told in the log. */
  readonly accessLog?: boolean
}

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
  /** Why nothing is served there by this method. */
  const unserved = (method: string, here: ReadonlyArray<Route>) => {
    const allowed = allowOf(here, crossOrigin)
    if (here.length === 0) return refusals.refuse("no-such-path")
    if (!allowed.includes(method)) return refusals.refuse("method-not-allowed", { allow: allowed.join(", ") })
    return crossOrigin !== undefined && method === "OPTIONS" ? preflight(here, crossOrigin) : undefined
  }
  /** Why it does not even reach its route. */
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
    // What is left without a route of its own is HEAD, which the route of GET answers.
    return admit(request, served ?? here.find(({ method }) => method === "GET")!, notes)
  }

  const failed = failing(refusals)

  /** Where nothing is sent and said to be of another type, the library says so, and not in our words. */
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
    return accessLog ? AccessLog.told(answer, request, here[0]?.path, notes) : answer
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maxBodyBytes)))
}

/** What became of a request that failed or died. */
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

/** A client that never sends its body keeps the connection no longer than its answer. */
const tooLate = (refusals: Refusals, request: HttpServerRequest.HttpServerRequest) =>
  isArriving(request)
    ? refusals.refuse("deadline-passed", { connection: "close" }, noBody)
    : refusals.refuse("deadline-passed")

/** Runs with a body that a deadline leaves alone. */
const detached = <A, E, R>(self: Effect.Effect<A, E, R>, request: HttpServerRequest.HttpServerRequest) =>
  hasBody(request.headers)
    ? Effect.provideService(self, HttpServerRequest.HttpServerRequest, DetachedBody.of(request))
    : self

/** What is known of the request is at hand for all that is done for it, and its id in the log. */
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

/** What may be asked of a path, as `Allow` lists it. */
const allowOf = (routes: ReadonlyArray<Route>, crossOrigin: CrossOrigin | undefined): ReadonlyArray<string> => {
  const methods = methodsOf(routes)
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), ...(crossOrigin === undefined ? [] : ["OPTIONS"])]
}

/** To a browser that asks whether a page of another site may send its request. */
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

/** Whoever is told that the venue cannot serve now is told when to come back, too. */
const usualHeaders = ({ headers, status }: HttpServerResponse.HttpServerResponse): Answered => ({
  ...(headers["cache-control"] === undefined ? unkept : undefined),
  ...(status === 503 && headers["retry-after"] === undefined ? shortly : undefined)
})
const unkept = { "cache-control": "no-store" }

const maxBodyBytes = 64 * 1024

/** Longer than anything behind it waits; what a silent database holds up ends here. */
export const deadlineMillis = 15_000

type Headers = Readonly<Record<string, string | undefined>>

const isPlainJson = (headers: Headers): boolean =>
  /^\s*application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") &&
  /^\s*(identity\s*)?$/i.test(headers["content-encoding"] ?? "")

const noBody = `The body of the request did not arrive within ${deadlineMillis / 1_000} seconds; nothing was done.`

/** Whether the message that Node reads has a part to come. */
const isArriving = ({ headers, source }: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(headers) && "complete" in source && source.complete === false

const hasBody = (headers: Headers): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** The body could not be read as it was sent. */
const isUnreadable = (
  error: unknown
): error is HttpServerError.HttpServerError & { readonly reason: HttpServerError.RequestParseError } =>
  (error as Partial<HttpServerError.HttpServerError> | undefined)?._tag === "HttpServerError" &&
  (error as HttpServerError.HttpServerError).reason._tag === "RequestParseError"
