/** Mutual TLS between nodes, with certificates from the venue's own authority. Logs refused connections. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import type * as Net from "node:net"
import * as Tls from "node:tls"

/** This node's certificate and key, and the certificate of the venue's authority, all as PEM text. */
export interface ClusterTls {
  readonly cert: string
  readonly key: Redacted.Redacted
  readonly ca: string
}

export interface DialOptions {
  readonly tls: ClusterTls
  readonly target: Net.TcpNetConnectOpts
  readonly openTimeout: "1 second"
}

/** Opens a connection to another node. Fails if that node has no certificate from the venue's authority. */
export const dial = Effect.fnUntraced(function* ({ openTimeout, target, tls }: DialOptions) {
  const warn = yield* makeWarn
  const opened = Effect.callback<Tls.TLSSocket, Socket.SocketError>((resume) => {
    // Host names are not checked, because the venue's authority issues certificates only to its own nodes, whatever
    // their hosts.
    const socket = Tls.connect({ ...target, ...pem(tls), checkServerIdentity: () => undefined })
    socket.once("secureConnect", () => resume(Effect.succeed(socket)))
    socket.on("error", (cause: Fault) => {
      // A failed system call means that the node is unreachable, which the cluster handles. Only TLS faults are
      // logged.
      if (cause.syscall === undefined)
        warn(reasonOf(cause), `TLS handshake with node ${target.host}:${target.port} failed`)
      resume(Effect.fail(openError(cause)))
    })
    return Effect.sync(() => socket.destroy())
  })
  const open = Effect.acquireRelease(opened, (socket) => Effect.sync(() => socket.destroy()), { interruptible: true })
  return yield* NodeSocket.fromDuplex(open, { openTimeout })
})

/**
 * Listens for TLS connections. Each connection gets its own TLS server, so that a refused client cannot resume a
 * session.
 */
export const layerServer = (address: Net.ServerOpts & Net.ListenOptions, tls: ClusterTls) => {
  const options = { ...pem(tls), requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMillis }
  return Layer.effect(
    SocketServer.SocketServer,
    Effect.gen(function* () {
      const plain = yield* SocketServer.SocketServer
      const warn = yield* makeWarn
      const secured = (raw: Net.Socket) =>
        Effect.callback<Tls.TLSSocket | undefined>((resume) => {
          const from = raw.remoteAddress
          const server = Tls.createServer(options)
          server.once("secureConnection", (socket) => {
            // Paused until the handler reads, so that no data is lost.
            socket.pause()
            socket.on("error", () => {})
            resume(Effect.succeed(socket))
          })
          server.once("tlsClientError", (error, socket) => {
            socket.destroy()
            const reason = socket.authorizationError?.toString() ?? reasonOf(error)
            // A peer that disconnects during the handshake was not refused, so nothing is logged.
            if (reason !== hungUp) warn(reason, `refused a connection from ${from}`)
            resume(Effect.succeed(undefined))
          })
          server.emit("connection", raw)
          return Effect.sync(() => raw.destroy())
        })
      return SocketServer.SocketServer.of({
        address: plain.address,
        run: (handler) =>
          plain.run(
            Effect.fnUntraced(function* () {
              const raw = Option.getOrThrow(yield* Effect.serviceOption(NodeSocket.NetSocket))
              const socket = yield* secured(raw)
              if (socket !== undefined) yield* handler(yield* NodeSocket.fromDuplex(owned(socket)))
            })
          )
      })
    })
  ).pipe(Layer.provide(NodeSocketServer.layer(address)))
}

const pem = ({ ca, cert, key }: ClusterTls) => ({ ca, cert, key: Redacted.value(key), minVersion: "TLSv1.3" as const })

const handshakeMillis = 5_000

/** `reason` is set by the TLS library, `syscall` by the system calls below it. */
type Fault = Error & { readonly reason?: string; readonly syscall?: string; readonly code?: string }
const hungUp = "ECONNRESET"
const reasonOf = ({ code, message, reason }: Fault): string => (code === hungUp ? hungUp : (reason ?? message))

const openError = (cause: Error) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })

const owned = (socket: Tls.TLSSocket) =>
  Effect.acquireRelease(Effect.succeed(socket), () => Effect.sync(() => socket.destroySoon()))

/** Logs each reason at most once per `repeatMillis`, because a refused node retries several times a second. */
const makeWarn = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const loggedAtMillis = new Map<string, number>()
  return (reason: string, message: string) => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - (loggedAtMillis.get(reason) ?? -Infinity) < repeatMillis) return
    // The map stays small, because the TLS library has only a few dozen reasons.
    loggedAtMillis.set(reason, now)
    run(Effect.logWarning(`cluster: ${message} (${reason})`))
  }
})

const repeatMillis = 10_000
