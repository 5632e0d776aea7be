/** WebSocket listener: text frames with back-pressure, rate limits and pings. */
import { Clock, Duration, Effect, Result, Schedule, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket as NetSocket } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import * as FrameReader from "./FrameReader.ts"
import * as Listening from "../http/Listening.ts"
import * as PlainHttp from "../http/PlainHttp.ts"
import { problemRefusals } from "../http/ProblemRefusals.ts"
import { type Allowance, limits, type SocketBudget } from "./SocketBudget.ts"
import * as SocketTransport from "./SocketTransport.ts"
import type { Receiver, Transport } from "./Transport.ts"
import * as UpgradeRefusal from "./UpgradeRefusal.ts"

const pingMillis = 20_000
/** Supported WebSocket version, sent when an upgrade is refused. */
const versionHeader = { "Sec-WebSocket-Version": "13" }

export interface Listener {
  readonly port: number
}

export interface ListenerOptions {
  readonly what: string
  readonly host: string
  readonly port: number
  /** Shared by all listeners of the process. */
  readonly budget: SocketBudget
  /** Base URL of the REST API, whose pages explain the problems. */
  readonly restUrl: string
  readonly addressOf: (request: IncomingMessage) => string
  readonly accept: (transport: Transport, request: IncomingMessage) => Receiver
  /** Responds to plain HTTP requests: health checks, and 426 for all others. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly timeouts?: Listening.Timeouts
}

export const listen = Effect.fnUntraced(function* (
  options: ListenerOptions
): Effect.fn.Return<Listener, Listening.ListenFailed, Scope.Scope> {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes,
    autoPong: false
  })
  const { port, server } = yield* Listening.open({
    what: options.what,
    host: options.host,
    port: options.port,
    timeouts: options.timeouts,
    closing: () => {
      for (const ws of sockets.clients) {
        ws.close(1001, "the venue is shutting down")
        ws.terminate()
      }
    }
  })
  const serve = yield* makeServe(options)
  const pings = yield* makePings

  const { unparsable: wording } = problemRefusals(options.restUrl)
  PlainHttp.refuseUnparsable(server, wording)
  server.on("request", (request, response) => {
    const fault = PlainHttp.headFault(request)
    if (fault === undefined) options.answer(request, response)
    else PlainHttp.refuse(wording, response, fault)
  })
  sockets.on("wsClientError", ({ message }, socket) =>
    PlainHttp.refuseSocket(wording, socket, { status: 400, title: "Bad Request", detail: message }, versionHeader)
  )
  server.on("upgrade", (request, socket: NetSocket, head) => {
    socket.on("error", () => socket.destroy())
    const fault = PlainHttp.headFault(request)
    if (fault !== undefined) return PlainHttp.refuseSocket(wording, socket, fault)
    const address = options.addressOf(request)
    const refusal = options.budget.refusal(address)
    if (refusal !== undefined) return UpgradeRefusal.refuse(socket, options.restUrl, refusal)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay(true)
      const isSilent = pings.watch(ws)
      serve(ws, socket, request, options.budget.open(address), isSilent)
    })
  })
  return { port }
})

/** Serves one client from its upgrade to its close. */
const makeServe = Effect.fnUntraced(function* ({ accept, what }: ListenerOptions) {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const after = (millis: number, end: () => void) => {
    run(Effect.delay(Effect.sync(end), Duration.millis(millis)))
  }

  return (
    ws: WebSocket,
    socket: NetSocket,
    request: IncomingMessage,
    allowance: Allowance,
    isSilent: () => boolean
  ): void => {
    const transport = SocketTransport.open(ws, socket, take, after, allowance)
    const reader = FrameReader.open({
      ws,
      socket,
      allowance,
      nowMillis: () => clock.currentTimeMillisUnsafe(),
      isPaused: transport.isPaused,
      close: transport.close,
      after
    })
    transport.whenTaken(reader.proceed)
    const receiver = accept(transport, request)
    function take(frame: Buffer): void {
      const taken = Result.try(() => receiver.text(frame.toString("utf8")))
      if (Result.isSuccess(taken)) return
      // A defect while processing one client's frame closes only that client's connection.
      run(Effect.logError(`${what}: a frame could not be processed`, taken.failure))
      transport.close(1011, "a frame could not be processed")
    }
    ws.on("message", (data, isBinary) => {
      if (ws.readyState !== ws.OPEN) return
      if (isBinary) transport.close(1003, "only text frames are accepted")
      else transport.arrived(data as Buffer)
    })
    let isGivenUp = false
    ws.on("error", (error) => {
      // TCP retransmissions timed out, so the client is gone.
      if ("code" in error && error.code === "ETIMEDOUT") isGivenUp = true
    })
    ws.on("pong", () => receiver.pong?.())
    // Unread pongs would otherwise accumulate without limit.
    ws.on("ping", (data) => (transport.isOverfull() ? ws.terminate() : ws.pong(data)))
    ws.on("close", () => {
      allowance.close()
      transport.ended()
      receiver.closed(isGivenUp || isSilent())
    })
  }
})

/** Pings clients every 20 s, and disconnects clients that miss two pings. */
const makePings = Effect.gen(function* () {
  const unanswered = new Map<WebSocket, number>()
  const cutOff = new WeakSet<WebSocket>()
  const ping = Effect.sync(() => {
    for (const [ws, missed] of unanswered) {
      // The socket is paused, so its pongs might be waiting unread.
      if (ws.isPaused) continue
      if (missed >= 2) {
        cutOff.add(ws)
        ws.close(1001, "no pong was received for two pings")
        ws.terminate()
        continue
      }
      unanswered.set(ws, missed + 1)
      ws.ping()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(ping, Schedule.spaced(pingMillis)))
  return {
    /**
     * Starts the pings. Returns a function that returns true after the client has been disconnected for missed pings.
     */
    watch: (ws: WebSocket): (() => boolean) => {
      unanswered.set(ws, 0)
      ws.on("pong", () => unanswered.set(ws, 0))
      ws.on("close", () => unanswered.delete(ws))
      return () => cutOff.has(ws)
    }
  }
})
