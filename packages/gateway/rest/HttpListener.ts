/** One HTTP address: routes behind their gate, on a port that says so when it is taken. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, type FileSystem, Layer, type Path, type Scope } from "effect"
import { type Etag, HttpMiddleware, HttpRouter, type HttpPlatform } from "effect/http"
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket as NetSocket } from "node:net"
import * as Listening from "../Listening.ts"
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
): Effect.fn.Return<HttpListener, Listening.ListenFailed, Exclude<R, Platform> | Scope.Scope> {
  const scope = yield* Effect.scope
  const { host, publicUrl, what } = options
  const { port, server } = yield* Listening.open({ what, host, port: options.port })
  const url = publicUrl ?? Listening.urlOf("http", host, port)
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
    if (lacksHost(request)) refuse(refusals, response, 400, "Bad Request")
    else if (!takes(request, response)) handle(request, response)
  })
  server.on("checkExpectation", (_, response) => refuse(refusals, response, 417, "Expectation Failed"))
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

/** From HTTP/1.1 on a request says whom it is for. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined && httpVersion !== "1.0"

/** Of what no route is asked for; the connection ends, since its body is not read. */
const refuse = (refusals: Refusals, response: ServerResponse, status: number, title: string): void => {
  const { body, contentType } = refusals.unparsable(status, title)
  send(response, status, { "content-type": contentType, connection: "close" }, body)
}

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
