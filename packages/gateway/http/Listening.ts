/** An HTTP server on its port, for as long as its scope is open. */
import { Duration, Effect, Schedule, Schema, type Scope } from "effect"
import { createServer, type Server } from "node:http"
import { isIP, type Socket, SocketAddress } from "node:net"

/** The listener could not start, most often because the port is taken. */
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
  /** 0 for any that is free. */
  readonly port: number
  /** Ends what the server knows nothing of, such as sockets; by then nobody new comes. */
  readonly closing?: () => void
  readonly timeouts?: Timeouts | undefined
  /** Whoever comes beyond them is cut off at once; by default as many as the system lets in. */
  readonly maxConnections?: number
  /** Answers in flight have this long when the address closes. */
  readonly graceMillis?: number
}

/** How long a client may take to send, and to take what it is sent. */
export interface Timeouts {
  /** From the first moment of a connection, or of the next request on it, to the end of the headers. */
  readonly headersMillis: number
  /** To the end of the body. */
  readonly requestMillis: number
  /** How often it is asked whose time is over: the others are cut off so much later at most. */
  readonly checkMillis: number
  /** While nothing moves on the connection, an answer that is not taken included; by default a minute. */
  readonly stalledMillis?: number
}

export interface Listening {
  readonly server: Server
  readonly port: number
  /** Lets nobody in any more and waits for the answers in flight; done anyway at the end of the scope. */
  readonly close: Effect.Effect<void>
}

/** What goes wrong with a server that listens, such as too many open files, is logged, and it listens on. */
export const open = Effect.fnUntraced(function* (
  options: ListeningOptions
): Effect.fn.Return<Listening, ListenFailed, Scope.Scope> {
  const { closing = () => {}, graceMillis = 2_000, host, maxConnections, port, timeouts = patience, what } = options
  const run = Effect.runForkWith(yield* Effect.context<never>())
  return yield* Effect.acquireRelease(
    Effect.callback<Listening, ListenFailed>((resume) => {
      const server = createServer({
        requestTimeout: timeouts.requestMillis,
        headersTimeout: timeouts.headersMillis,
        // Node looks each half minute unless told otherwise, and cuts off as late as that.
        connectionsCheckingInterval: timeouts.checkMillis,
        keepAliveTimeout: keepAliveMillis,
        maxHeaderSize: maxHeadBytes,
        // Node would answer without a body; whoever listens refuses in its own words.
        requireHostHeader: false
      })
      if (maxConnections !== undefined) server.maxConnections = maxConnections
      const sockets = new Set<Socket>()
      server.on("connection", (socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
      })
      server.on("error", (cause) => {
        if (server.listening) run(Effect.logError(`${what}: a connection could not be taken`, cause))
        else resume(Effect.fail(new ListenFailed({ what, host, port, cause })))
      })
      server.listen(port, host, () => {
        const address = server.address()
        const actual = typeof address === "object" && address !== null ? address.port : port
        resume(Effect.succeed({ server, port: actual, close: closed(server, sockets, closing, graceMillis) }))
      })
    }),
    ({ close }) => close
  )
})

const closed = (
  server: Server,
  sockets: ReadonlySet<Socket>,
  closing: () => void,
  graceMillis: number
): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    // Node waits for the first word of those who have said none.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    closing()
  }).pipe(
    // Whoever has its answer would stay connected, and might ask for more.
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

/** Returns the address by which this machine reaches a listener: a host that binds every address is dialled at loopback. */
export const urlOf = (scheme: "http" | "ws", host: string, port: number): string =>
  `${scheme}://${authorityOf(dialled(host), port)}`

const dialled = (host: string): string => {
  if (isIP(host) === 4 || host === "") return host === "0.0.0.0" || host === "" ? "127.0.0.1" : host
  if (isIP(host) !== 6) return host
  const { address } = new SocketAddress({ address: host, family: "ipv6" })
  return address === "::" ? "::1" : address === "::ffff:0.0.0.0" ? "127.0.0.1" : host
}

const patience: Timeouts = { headersMillis: 10_000, requestMillis: 30_000, checkMillis: 1_000 }
/** Longer than the minute after which proxies in front usually give up a connection that is idle: they end it, not we. */
const keepAliveMillis = 75_000
/** The address and the headers of a request together. */
const maxHeadBytes = 16 * 1024

/** An address of the newer kind stands in brackets. */
function authorityOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}
