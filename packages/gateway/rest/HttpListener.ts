/** One HTTP address: routes behind their gate, on a port that says so when it is taken. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, type FileSystem, Layer, type Path, type Scope } from "effect"
import { type Etag, HttpMiddleware, HttpRouter, type HttpPlatform } from "effect/http"
import { Buffer } from "node:buffer"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket as NetSocket } from "node:net"
import { ListenFailed } from "../Socket.ts"
import { gate, type GateOptions, type Refusals } from "./Gate.ts"
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
}

/** What is served at an address, once that is known. */
export interface Site<R> extends Omit<GateOptions, "refusals"> {
  readonly layer: Layer.Layer<never, never, R>
  /** Asked before anything is made of a request; true when it answers by itself, now or later. */
  readonly takes?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Problems, unless told otherwise. */
  readonly refusals?: Refusals
}

type Platform = HttpRouter.HttpRouter | Etag.Generator | HttpPlatform.HttpPlatform | FileSystem.FileSystem | Path.Path

export const listen = Effect.fnUntraced(function* <R>(
  options: HttpListenerOptions,
  siteAt: (baseUrl: string) => Site<R>
): Effect.fn.Return<HttpListener, ListenFailed, Exclude<R, Platform> | Scope.Scope> {
  const scope = yield* Effect.scope
  const { port, server } = yield* bound(options)
  const host = options.host.includes(":") ? `[${options.host}]` : options.host
  const url = options.publicUrl ?? `http://${host}:${port}`
  const { layer, refusals = problemRefusals(url), takes = () => false, ...site } = siteAt(url)
  server.on("clientError", (error, socket) => unparsable(refusals, error, socket as NetSocket))
  const platform = Layer.merge(HttpRouter.layer, NodeHttpServer.layerHttpServices)
  const services = yield* Layer.build(Layer.provideMerge(layer, platform)) as Effect.Effect<
    Context.Context<HttpRouter.HttpRouter>,
    never,
    Exclude<R, Platform> | Scope.Scope
  >
  const app = gate({ ...site, refusals }, Context.get(services, HttpRouter.HttpRouter).asHttpEffect())
  // A span of a request would hold its address, and what stands there may be a secret.
  const handle = yield* Effect.provideService(
    NodeHttpServer.makeHandler(app, { scope }),
    HttpMiddleware.TracerDisabledWhen,
    () => true
  )
  server.on("request", (request, response) => {
    if (!takes(request, response)) handle(request, response)
  })
  return { port, url }
})

/** Answers what `takes` took. */
export const send = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: object
): void => {
  // As a text it goes out in one piece with the headers.
  const text = JSON.stringify(body)
  response.writeHead(status, { "cache-control": "no-store", ...headers, "content-length": Buffer.byteLength(text) })
  response.end(text)
}

/** Everything of a request, its body too, is here within this time. */
const requestTimeoutMillis = 30_000
const headersTimeoutMillis = 10_000
/** Answers in flight have this long when the address closes. */
const grace = "2 seconds"

const bound = (options: HttpListenerOptions) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly port: number }, ListenFailed>((resume) => {
      const { host, port, what } = options
      const server = createServer({ requestTimeout: requestTimeoutMillis, headersTimeout: headersTimeoutMillis })
      server.once("error", (cause) => resume(Effect.fail(new ListenFailed({ what, host, port, cause }))))
      server.listen(port, host, () => {
        const address = server.address()
        resume(Effect.succeed({ server, port: typeof address === "object" && address !== null ? address.port : port }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
      }).pipe(Effect.timeout(grace), Effect.ignore, Effect.andThen(Effect.sync(() => server.closeAllConnections())))
  )

/** What is not HTTP gets a refusal too, and is cut off. */
const unparsable = (refusals: Refusals, error: NodeJS.ErrnoException, socket: NetSocket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  const [status, title] = unparsables.get(error.code ?? "") ?? [400, "Bad Request"]
  const { body, contentType } = refusals.unparsable(status, title)
  const text = JSON.stringify(body)
  socket.write(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: ${contentType}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${text}`
  )
  socket.destroySoon()
}

const unparsables: ReadonlyMap<string, readonly [status: number, title: string]> = new Map([
  ["HPE_HEADER_OVERFLOW", [431, "Request Header Fields Too Large"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", [408, "Request Timeout"]]
])
