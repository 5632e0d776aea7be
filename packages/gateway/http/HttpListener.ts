/** One HTTP address: routes behind their gate, on a port that says so when it is taken. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Context, Effect, type FileSystem, Layer, Logger, type Path, References, Scope } from "effect"
import { type Etag, HttpMiddleware, HttpPlatform, HttpRouter } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { ApiBaseUrl } from "./ApiBaseUrl.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Gzip from "./Gzip.ts"
import * as Listening from "./Listening.ts"
import * as PlainHttp from "./PlainHttp.ts"
import { deadlineMillis, gate, type GateOptions, type Refusals } from "./Gate.ts"
import { problemRefusals } from "./ProblemRefusals.ts"

export interface HttpListener {
  readonly port: number
  readonly url: string
}

export interface HttpListenerOptions {
  readonly what: string
  readonly host: string
  readonly port: number
  /** Where clients find it, when that is not where it listens. */
  readonly publicUrl?: string | undefined
  readonly timeouts?: Listening.Timeouts
}

/** What is served at an address, once that is known. */
export interface Site<R> extends Omit<GateOptions, "refusals" | "within" | "gzip"> {
  readonly layer: Layer.Layer<never, never, R>
  /** What alone it is called, with its port where that is not the usual one; any name will do when it is left out. */
  readonly names?: ReadonlyArray<string>
  /** Asked before anything is made of a request; true when it answers by itself, now or later. */
  readonly takes?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Problems, unless told otherwise. */
  readonly refusals?: Refusals
}

type Platform =
  | ApiBaseUrl
  | HttpRouter.HttpRouter
  | Etag.Generator
  | HttpPlatform.HttpPlatform
  | FileSystem.FileSystem
  | Path.Path

export const listen = Effect.fnUntraced(function* <R>(
  options: HttpListenerOptions,
  siteAt: (baseUrl: string) => Site<R>
): Effect.fn.Return<HttpListener, Listening.ListenFailed, Exclude<R, Platform> | Scope.Scope> {
  const scope = yield* Effect.scope
  const { host, publicUrl, timeouts, what } = options
  const { close, port, server } = yield* Listening.open({
    what,
    host,
    port: options.port,
    timeouts,
    maxConnections,
    // Whatever is asked when the address closes is answered by then, if only with the end of its time.
    graceMillis: deadlineMillis
  })
  const url = publicUrl ?? Listening.urlOf("http", host, port)
  const { layer, names, refusals = problemRefusals(url), takes = () => false, ...site } = siteAt(url)
  PlainHttp.refuseUnparsable(server, refusals.unparsable)
  // Whoever takes nothing of its answer for so long is cut off, and what the answer holds is free again.
  server.setTimeout(timeouts?.stalledMillis ?? stalledMillis)
  const platform = Layer.merge(HttpRouter.layer, NodeHttpServer.layerHttpServices)
  // Fresh: listeners share layers such as `invalidRequest`, which a common memo map would build once, with one base URL.
  const all = Layer.fresh(Layer.provideMerge(layer, platform).pipe(Layer.provide(Layer.succeed(ApiBaseUrl)(url))))
  const services = yield* Layer.build(all) as Effect.Effect<
    Context.Context<HttpRouter.HttpRouter | HttpPlatform.HttpPlatform>,
    never,
    Exclude<R, Platform> | Scope.Scope
  >
  const within = yield* Deadlines.make(deadlineMillis)
  const gzip = Gzip.on(Context.get(services, HttpPlatform.HttpPlatform))
  const app = gate({ ...site, refusals, within, gzip }, Context.get(services, HttpRouter.HttpRouter).asHttpEffect())
  const requests = yield* Scope.fork(scope)
  const handle = yield* Effect.updateContext(NodeHttpServer.makeHandler(app, { scope: requests }), ofRequests)
  server.on("request", (request, response) => {
    const fault =
      PlainHttp.headFault(request) ?? (names === undefined ? undefined : PlainHttp.nameFault(request, names))
    if (fault !== undefined) PlainHttp.refuse(refusals.unparsable, response, fault)
    else if (!takes(request, response)) handle(request, response)
  })
  // Before the requests themselves end, and what answers them.
  yield* Effect.addFinalizer(() => close)
  return { port, url }
})

const stalledMillis = 60_000
/** Of one listener. */
const maxConnections = 10_000

/**
 * What every request carries: time and the log. Routes have taken the services they need when they were made, and a
 * request that carried all those of the venue would copy them several times.
 */
const ofRequests = (all: Context.Context<never>) =>
  Context.pick(
    Clock.Clock,
    Logger.CurrentLoggers,
    References.CurrentLogAnnotations,
    References.LogToStderr,
    References.MinimumLogLevel
  )(all).pipe(
    // A span of a request would hold its address, and what stands there may be a secret.
    Context.add(HttpMiddleware.TracerDisabledWhen, () => true)
  )
