/** HTTP listener: routes behind their gate, on one port. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Clients from "@venue/telemetry/catalogue/Clients"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Context, Effect, type FileSystem, Layer, Logger, type Path, References, Scope, Stream } from "effect"
import { type Etag, HttpMiddleware, HttpPlatform, HttpRouter } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { ApiBaseUrl } from "./ApiBaseUrl.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Gzip from "./Gzip.ts"
import * as Listening from "./Listening.ts"
import * as PlainHttp from "./PlainHttp.ts"
import { actionOf, deadlineMillis, gate, type GateOptions, type Refusals } from "./Gate.ts"
import { problemRefusals } from "./ProblemRefusals.ts"

export interface HttpListener {
  readonly port: number
  readonly url: string
}

export interface HttpListenerOptions {
  readonly what: string
  readonly host: string
  readonly port: number
  /** Public URL, if it differs from the listening address. */
  readonly publicUrl?: string | undefined
  readonly timeouts?: Listening.Timeouts
  /** Serves HTTPS with this certificate. Default: plain HTTP. */
  readonly tls?: Tls | undefined
  /** Returns true for addresses that are permitted to connect. Default: all. */
  readonly admits?: ((address: string) => boolean) | undefined
}

/** Certificate of a listener, and the certificates that replace it. */
export interface Tls {
  readonly pair: Listening.TlsPair
  readonly renewals: Stream.Stream<Listening.TlsPair>
}

/** Routes and options of a listener. */
export interface Site<R> extends Omit<GateOptions, "refusals" | "within" | "gzip" | "measured"> {
  readonly layer: Layer.Layer<never, never, R>
  /** Permitted `Host` headers, including the port unless it is the default port. Default: any `Host`. */
  readonly names?: ReadonlyArray<string>
  /** Called before the rest of a request is parsed. Returns true if it has sent the response itself. */
  readonly takes?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Refusal responses; default: problems. */
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
  const { admits, host, publicUrl, timeouts, tls, what } = options
  const { close, port, renewTls, server } = yield* Listening.open({
    what,
    host,
    port: options.port,
    tls: tls?.pair,
    admits,
    timeouts,
    maxConnections,
    // By this time, every request that was in flight when the listener closed has reached its deadline.
    graceMillis: deadlineMillis
  })
  const url = publicUrl ?? Listening.urlOf(tls === undefined ? "http" : "https", host, port)
  if (tls !== undefined) {
    yield* Effect.forkScoped(Stream.runForEach(tls.renewals, (pair) => Effect.sync(() => renewTls(pair))))
  }
  const { layer, names, refusals = problemRefusals(url), takes = () => false, ...site } = siteAt(url)
  PlainHttp.refuseUnparsable(server, refusals.unparsable)
  // Disconnects a client that does not read its response, to release the response's memory.
  server.setTimeout(timeouts?.stalledMillis ?? stalledMillis)
  const platform = Layer.merge(HttpRouter.layer, NodeHttpServer.layerHttpServices)
  // Fresh, because a common memo map would build layers such as `invalidRequest` only once, with one base URL.
  const all = Layer.fresh(Layer.provideMerge(layer, platform).pipe(Layer.provide(Layer.succeed(ApiBaseUrl)(url))))
  const services = yield* Layer.build(all) as Effect.Effect<
    Context.Context<HttpRouter.HttpRouter | HttpPlatform.HttpPlatform>,
    never,
    Exclude<R, Platform> | Scope.Scope
  >
  const within = yield* Deadlines.make(deadlineMillis)
  const gzip = Gzip.on(Context.get(services, HttpPlatform.HttpPlatform))
  const measured = yield* makeMeasured(what)
  const app = gate(
    { ...site, refusals, within, gzip, measured },
    Context.get(services, HttpRouter.HttpRouter).asHttpEffect()
  )
  const requests = yield* Scope.fork(scope)
  const handle = yield* Effect.updateContext(NodeHttpServer.makeHandler(app, { scope: requests }), ofRequests)
  server.on("request", (request, response) => {
    const fault =
      PlainHttp.headFault(request) ?? (names === undefined ? undefined : PlainHttp.nameFault(request, names))
    if (fault !== undefined) PlainHttp.refuse(refusals.unparsable, response, fault)
    else if (!takes(request, response)) handle(request, response)
  })
  // Runs before the close of the scope that holds the requests and their services.
  yield* Effect.addFinalizer(() => close)
  return { port, url }
})

/** Returns a function that records the duration of a response. A name such as "the REST interface" loses its article. */
const makeMeasured = Effect.fnUntraced(function* (what: string) {
  const seconds = yield* Meter.histograms(Clients.requestSeconds)
  const listener = what.replace(/^the /, "")
  const measured: GateOptions["measured"] = (route, status, duration) =>
    seconds({ listener, route: route === undefined ? "none" : actionOf(route), status: String(status) }, duration)
  return measured
})

const stalledMillis = 60_000
const maxConnections = 10_000

/**
 * Returns the context for requests, which holds only the clock and logging. Routes read all other services when they
 * are built. If the context held those services, the library would copy them several times per request.
 */
const ofRequests = (all: Context.Context<never>) =>
  Context.pick(
    Clock.Clock,
    Logger.CurrentLoggers,
    References.CurrentLogAnnotations,
    References.LogToStderr,
    References.MinimumLogLevel
  )(all).pipe(
    // Disabled because a request span would contain the URL, which might contain a secret.
    Context.add(HttpMiddleware.TracerDisabledWhen, () => true)
  )
