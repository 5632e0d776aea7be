/** HTTP or HTTPS server on a port, open until its scope closes. */
import { Duration, Effect, Redacted, Schedule, Schema, type Scope } from "effect"
import { createServer, type Server, type ServerOptions } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { isIP, type Socket, SocketAddress } from "node:net"
import * as Forwarded from "./Forwarded.ts"

/** The listener could not start, usually because the port is in use. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  what: Schema.String,
  host: Schema.String,
  port: Schema.Number,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const { cause, host, port, what } = this
    return `${what} cannot listen on ${authorityOf(host, port)}: ${String((cause as Error).message)}`
  }
}

export interface ListeningOptions {
  readonly what: string
  readonly host: string
  /** Port; 0 selects any free port. */
  readonly port: number
  /**
   * Called after the server stops accepting connections. Closes the connections that the server does not track, such
   * as WebSockets.
   */
  readonly closing?: () => void
  readonly timeouts?: Timeouts | undefined
  /** Maximum number of connections. Further connections are closed at once. Default: no limit. */
  readonly maxConnections?: number
  /** Time allowed for in-flight responses when the listener closes. */
  readonly graceMillis?: number
  /** Certificate of an HTTPS server. Default: plain HTTP. */
  readonly tls?: TlsPair | undefined
  /** Returns true for addresses that are permitted to connect. Other connections are closed before they send. */
  readonly admits?: ((address: string) => boolean) | undefined
}

/** A server's certificate chain and private key, as PEM text. */
export interface TlsPair {
  readonly cert: string
  readonly key: Redacted.Redacted
}

/** Time limits for a client to send requests and read responses. */
export interface Timeouts {
  /** Time from the start of a connection, or of its next request, to the end of the request headers. */
  readonly headersMillis: number
  /** Time from the start of a request to the end of its body. */
  readonly requestMillis: number
  /** Interval between checks of the limits. A connection is closed at most this long after its limit. */
  readonly checkMillis: number
  /** Time without traffic on the connection, including while the client does not read a response. Default: 60 s. */
  readonly stalledMillis?: number
}

export interface Listening {
  readonly server: Server
  readonly port: number
  /** Replaces the certificate for new connections; open connections continue. */
  readonly renewTls: (pair: TlsPair) => void
  /** Stops accepting connections and waits for in-flight responses. Also runs when the scope closes. */
  readonly close: Effect.Effect<void>
}

/** Opens a listener. Logs errors of the running server, such as too many open files, and keeps the server running. */
export const open = Effect.fnUntraced(function* (
  options: ListeningOptions
): Effect.fn.Return<Listening, ListenFailed, Scope.Scope> {
  const {
    admits = () => true,
    closing = () => {},
    graceMillis = 2_000,
    host,
    maxConnections,
    port,
    timeouts = defaultTimeouts,
    tls,
    what
  } = options
  const run = Effect.runForkWith(yield* Effect.context<never>())
  return yield* Effect.acquireRelease(
    Effect.callback<Listening, ListenFailed>((resume) => {
      const { renewTls, server } = serverOf(tls, timeouts, {
        requestTimeout: timeouts.requestMillis,
        headersTimeout: timeouts.headersMillis,
        // Node checks every 30 s by default, so it would close connections up to 30 s late.
        connectionsCheckingInterval: timeouts.checkMillis,
        keepAliveTimeout: keepAliveMillis,
        maxHeaderSize: maxHeadBytes,
        // Node would refuse a missing `Host` with an empty body, so `PlainHttp.headFault` refuses it instead.
        requireHostHeader: false
      })
      if (maxConnections !== undefined) server.maxConnections = maxConnections
      const sockets = new Set<Socket>()
      server.on("connection", (socket) => {
        if (!admits(Forwarded.canonical(socket.remoteAddress ?? ""))) return socket.destroy()
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      server.on("error", (cause) => {
        if (server.listening) run(Effect.logError(`${what}: a connection could not be accepted`, cause))
        else resume(Effect.fail(new ListenFailed({ what, host, port, cause })))
      })
      server.listen(port, host, () => {
        const address = server.address()
        const actual = typeof address === "object" && address !== null ? address.port : port
        resume(Effect.succeed({ server, port: actual, renewTls, close: closed(server, sockets, closing, graceMillis) }))
      })
    }),
    ({ close }) => close
  )
})

const serverOf = (tls: TlsPair | undefined, { headersMillis }: Timeouts, options: ServerOptions) => {
  if (tls === undefined) return { server: createServer(options), renewTls: () => {} }
  const server = createTlsServer({ ...options, ...contextOf(tls), handshakeTimeout: headersMillis })
  return { server: server as Server, renewTls: (pair: TlsPair) => server.setSecureContext(contextOf(pair)) }
}

const contextOf = ({ cert, key }: TlsPair) => ({ cert, key: Redacted.value(key), minVersion: "TLSv1.3" as const })

const closed = (
  server: Server,
  sockets: ReadonlySet<Socket>,
  closing: () => void,
  graceMillis: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    // `server.close` would wait for sockets that never sent a byte.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    closing()
  }).pipe(
    // Idle keep-alive connections would stay open and could send more requests.
    Effect.raceFirst(
      Effect.repeat(
        Effect.sync(() => server.closeIdleConnections()),
        Schedule.spaced("50 millis")
      )
    ),
    Effect.timeout(Duration.millis(graceMillis)),
    Effect.ignore,
    Effect.andThen(Effect.sync(() => server.closeAllConnections()))
  )

/** Returns the URL at which this machine reaches a listener. A wildcard host becomes the loopback address. */
export const urlOf = (scheme: "http" | "https" | "ws", host: string, port: number): string =>
  `${scheme}://${authorityOf(reachableHost(host), port)}`

const reachableHost = (host: string): string => {
  if (isIP(host) === 4 || host === "") return host === "0.0.0.0" || host === "" ? "127.0.0.1" : host
  if (isIP(host) !== 6) return host
  const { address } = new SocketAddress({ address: host, family: "ipv6" })
  return address === "::" ? "::1" : address === "::ffff:0.0.0.0" ? "127.0.0.1" : host
}

const defaultTimeouts: Timeouts = { headersMillis: 10_000, requestMillis: 30_000, checkMillis: 1_000 }
/**
 * Longer than the 60 s after which proxies usually close idle connections, so that the proxy closes a connection
 * before this server does.
 */
const keepAliveMillis = 75_000
/** Maximum length of the request line and headers. */
const maxHeadBytes = 16 * 1024

/** Returns `host:port`, with an IPv6 host in brackets. */
function authorityOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}
