/** Connections between nodes that show each other certificates of the venue's own authority. Whoever is refused is named. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import * as Socket from "effect/socket/Socket"
import * as SocketServer from "effect/socket/SocketServer"
import type * as Net from "node:net"
import * as Tls from "node:tls"

/** Each node shows a certificate that the venue's own authority signed, whoever dials. All are texts of PEM. */
export interface ClusterTls {
  readonly cert: string
  readonly key: Redacted.Redacted
  readonly ca: string
}

export interface DialOptions {
  readonly tls: ClusterTls
  readonly place: Net.TcpNetConnectOpts
  readonly openTimeout: "1 second"
}

export const dial = Effect.fnUntraced(function* ({ openTimeout, place, tls }: DialOptions) {
  const tell = yield* makeTell
  const opened = Effect.callback<Tls.TLSSocket, Socket.SocketError>((resume) => {
    // Whom the venue's authority vouches for is a node of the venue, wherever it is found.
    const socket = Tls.connect({ ...place, ...pem(tls), checkServerIdentity: () => undefined })
    socket.once("secureConnect", () => resume(Effect.succeed(socket)))
    socket.on("error", (cause: Fault) => {
      // A node that is not there is no news here.
      if (cause.syscall === undefined) tell(reasonOf(cause), `node ${place.host}:${place.port} is not spoken with`)
      resume(Effect.fail(openError(cause)))
    })
    return Effect.sync(() => socket.destroy())
  })
  const open = Effect.acquireRelease(opened, (socket) => Effect.sync(() => socket.destroy()), { interruptible: true })
  return yield* NodeSocket.fromDuplex(open, { openTimeout })
})

/** A handshake of its own for each connection, so that none is resumed: who was refused once has nothing to come back with. */
export const layerServer = (place: Net.ServerOpts & Net.ListenOptions, tls: ClusterTls) => {
  const options = { ...pem(tls), requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeMillis }
  return Layer.effect(
    SocketServer.SocketServer,
    Effect.gen(function* () {
      const plain = yield* SocketServer.SocketServer
      const tell = yield* makeTell
      const secured = (raw: Net.Socket) =>
        Effect.callback<Tls.TLSSocket | undefined>((resume) => {
          const from = raw.remoteAddress
          const server = Tls.createServer(options)
          server.once("secureConnection", (socket) => {
            // Nothing is read before somebody reads it.
            socket.pause()
            socket.on("error", () => {})
            resume(Effect.succeed(socket))
          })
          server.once("tlsClientError", (error, socket) => {
            socket.destroy()
            const reason = socket.authorizationError?.toString() ?? reasonOf(error)
            // Who hangs up without a word was not refused.
            if (reason !== hungUp) tell(reason, `a connection from ${from} is refused`)
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
  ).pipe(Layer.provide(NodeSocketServer.layer(place)))
}

const pem = ({ ca, cert, key }: ClusterTls) => ({ ca, cert, key: Redacted.value(key), minVersion: "TLSv1.3" as const })

const handshakeMillis = 5_000

/** `reason` is what the TLS library says; `syscall` stands in what comes from below it. */
type Fault = Error & { readonly reason?: string; readonly syscall?: string; readonly code?: string }
const hungUp = "ECONNRESET"
const reasonOf = ({ code, message, reason }: Fault): string => (code === hungUp ? hungUp : (reason ?? message))

const openError = (cause: Error) =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })

const owned = (socket: Tls.TLSSocket) =>
  Effect.acquireRelease(Effect.succeed(socket), () => Effect.sync(() => socket.destroySoon()))

/** Whoever is refused comes again several times a second, and is not to fill the log: each reason is told now and then. */
const makeTell = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const toldAtMillis = new Map<string, number>()
  return (reason: string, words: string) => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - (toldAtMillis.get(reason) ?? -Infinity) < silenceMillis) return
    // The words are the TLS library's, which has a few dozen.
    toldAtMillis.set(reason, now)
    run(Effect.logWarning(`cluster: ${words} (${reason})`))
  }
})

const silenceMillis = 10_000
