/** A WebSocket listener: frames in as text, frames out joined into one write per turn, everything bounded. */
import * as Problem from "@venue/api/Problem"
import { Clock, Duration, Effect, Result, type Scope } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket as NetSocket } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"
import * as FrameReader from "./FrameReader.ts"
import * as Listening from "../http/Listening.ts"
import * as PlainHttp from "../http/PlainHttp.ts"
import { problemRefusals } from "../http/ProblemRefusals.ts"
import { retryAfter } from "../http/Refusal.ts"
import { type Allowance, limits, type Refusal, type SocketBudget } from "./SocketBudget.ts"
import { maxWaitingBytes, type Receiver, type Transport } from "./Transport.ts"

const pingMillis = 20_000
/** A client that never answers a close is cut off after this. */
const closeGraceMillis = 2_000
/** A client of another version learns which one is spoken. */
const spoken = { "Sec-WebSocket-Version": "13" }

export interface Listener {
  readonly port: number
}

export const listen = Effect.fnUntraced(function* (options: {
  readonly what: string
  readonly host: string
  readonly port: number
  /** Shared by all listeners of the process. */
  readonly budget: SocketBudget
  /** Where problems are explained. */
  readonly baseUrl: string
  /** Where an upgrade comes from. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly accept: (transport: Transport, request: IncomingMessage) => Receiver
  /** Plain requests: health, and a word for everybody else. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly timeouts?: Listening.Timeouts
}): Effect.fn.Return<Listener, Listening.ListenFailed, Scope.Scope> {
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes,
    autoPong: false
  })
  const after = (millis: number, end: () => void) => {
    run(Effect.delay(Effect.sync(end), Duration.millis(millis)))
  }
  const unanswered = new Map<WebSocket, number>()
  const { port, server } = yield* Listening.open({
    what: options.what,
    host: options.host,
    port: options.port,
    timeouts: options.timeouts,
    closing: () => {
      for (const ws of sockets.clients) {
        ws.close(1001, "the venue is going down")
        ws.terminate()
      }
    }
  })

  const { unparsable: wording } = problemRefusals(options.baseUrl)
  PlainHttp.refuseUnparsable(server, wording)
  server.on("request", (request, response) => {
    const fault = PlainHttp.hostFault(request)
    if (fault === undefined) options.answer(request, response)
    else PlainHttp.refuse(wording, response, fault)
  })
  sockets.on("wsClientError", ({ message }, socket) =>
    PlainHttp.refuseSocket(wording, socket, { status: 400, title: "Bad Request", detail: message }, spoken)
  )
  server.on("upgrade", (request, socket: NetSocket, head) => {
    socket.on("error", () => socket.destroy())
    const fault = PlainHttp.hostFault(request)
    if (fault !== undefined) return PlainHttp.refuseSocket(wording, socket, fault)
    const address = options.addressOf(request)
    const refusal = options.budget.refusal(address)
    if (refusal !== undefined) return refuse(socket, options.baseUrl, refusal)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay(true)
      const allowance = options.budget.open(address)
      const transport = transportOf(ws, socket, take, after, allowance.unread)
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
      const receiver = options.accept(transport, request)
      function take(frame: Buffer): void {
        const taken = Result.try(() => receiver.text(frame.toString("utf8")))
        if (Result.isSuccess(taken)) return
        // A fault at one client's frame may cost that client its connection, and nobody else anything.
        run(Effect.logError(`${options.what}: a frame could not be taken`, taken.failure))
        transport.close(1011, "a frame could not be taken")
      }
      unanswered.set(ws, 0)
      ws.on("pong", () => unanswered.set(ws, 0))
      // Pongs that nobody reads would gather without end.
      ws.on("ping", (data) => (socket.writableLength > maxWaitingBytes ? ws.terminate() : ws.pong(data)))
      ws.on("message", (data, isBinary) => {
        if (ws.readyState !== ws.OPEN) return
        if (isBinary) transport.close(1003, "text frames only")
        else transport.arrived(data as Buffer)
      })
      ws.on("error", () => {})
      ws.on("close", () => {
        unanswered.delete(ws)
        allowance.close()
        transport.ended()
        receiver.closed()
      })
    })
  })

  const ping = Effect.sync(() => {
    for (const [ws, missed] of unanswered) {
      // Its pongs wait unread, as everything it sends does.
      if (ws.isPaused) continue
      if (missed >= 2) {
        ws.close(1001, "two pings were not answered")
        ws.terminate()
        continue
      }
      unanswered.set(ws, missed + 1)
      ws.ping()
    }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pingMillis), ping)))
  return { port }
})

function refuse(socket: NetSocket, baseUrl: string, refusal: Refusal): void {
  const { body, waitMillis } = refusals(baseUrl, refusal)
  PlainHttp.refuseSocket(() => ({ contentType, body }), socket, body, retryAfter(waitMillis))
}

/** A socket of the address, or of anybody, may be over any time: it is worth another try after a while. */
const fullMillis = 5_000

function refusals(baseUrl: string, refusal: Refusal) {
  switch (refusal._tag) {
    case "TooManyUpgrades":
      return { waitMillis: refusal.waitMillis, body: Problem.body(baseUrl, 429, "rate-exceeded") }
    case "AddressFull": {
      const detail = `An address may have ${refusal.most} sockets open here; close one first.`
      return { waitMillis: fullMillis, body: Problem.body(baseUrl, 429, "too-many-sockets", { detail }) }
    }
    case "VenueFull":
      return { waitMillis: fullMillis, body: Problem.body(baseUrl, 503, "venue-full") }
  }
}

interface Line extends Transport {
  /** A frame was read; it is taken when those before it are and the reading is not paused. */
  readonly arrived: (frame: Buffer) => void
  /** The client has gone: what was read before that is taken all the same. */
  readonly ended: () => void
  /** Nothing may arrive for now. */
  readonly isPaused: () => boolean
  /** Called when all that had arrived is taken and more may. */
  readonly whenTaken: (proceed: () => void) => void
}

/** Frames gather until the turn ends and leave as one buffer on the net socket itself. */
function transportOf(
  ws: WebSocket,
  socket: NetSocket,
  take: (frame: Buffer) => void,
  after: (millis: number, end: () => void) => void,
  unread: Allowance["unread"]
): Line {
  let gathered: Array<string> | undefined
  let isPaused = false
  let isClosed = false
  let proceed = () => {}
  /** Read before the pause began, as far as one turn went. */
  let held: Array<Buffer> = []
  const flush = () => {
    const texts = gathered
    gathered = undefined
    if (texts === undefined || ws.readyState !== ws.OPEN || socket.destroyed) return
    // What the kernel takes at once costs nothing here; the rest is given back when it drains.
    if (socket.write(framed(texts)) || unread(socket.writableLength)) return
    close(1013, "frames were not read, and too many wait for others")
  }
  socket.on("drain", () => unread(0))
  const close = (code: number, reason: string) => {
    isClosed = true
    if (gathered !== undefined) flush()
    ws.close(code, reason)
    after(closeGraceMillis, () => ws.terminate())
  }
  const drain = () => {
    let taken = 0
    for (const frame of held) {
      if (isPaused || isClosed) break
      taken++
      take(frame)
    }
    held = held.slice(taken)
    if (held.length === 0 && !isPaused) proceed()
  }
  return {
    send: (text) => {
      if (gathered !== undefined) return void gathered.push(text)
      gathered = [text]
      atTurnsEnd(flush)
    },
    close,
    pause: () => {
      isPaused = true
      ws.pause()
    },
    resume: () => {
      isPaused = false
      // Not here: who resumes may be in the middle of telling others.
      setImmediate(drain)
    },
    waitingBytes: () => socket.writableLength,
    arrived: (frame) => {
      if (isPaused || held.length > 0) held.push(frame)
      else take(frame)
    },
    ended: () => {
      if (!isClosed) for (const frame of held) take(frame)
      held = []
    },
    isPaused: () => isPaused || held.length > 0,
    whenTaken: (taken) => {
      proceed = taken
    }
  }
}

let flushes: Array<() => void> = []

/** One callback for all sockets that were written to in a turn. */
function atTurnsEnd(flush: () => void): void {
  if (flushes.push(flush) === 1) process.nextTick(flushAll)
}

function flushAll(): void {
  const due = flushes
  flushes = []
  for (const flush of due) flush()
}

/** Unmasked text frames, one after the other. */
function framed(texts: ReadonlyArray<string>): Buffer {
  let total = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    total += length + (length < 126 ? 2 : length < 65_536 ? 4 : 10)
  }
  const buffer = Buffer.allocUnsafe(total)
  let at = 0
  for (const text of texts) {
    const length = Buffer.byteLength(text)
    buffer[at] = 0x81
    if (length < 126) {
      buffer[at + 1] = length
      at += 2
    } else if (length < 65_536) {
      buffer[at + 1] = 126
      buffer.writeUInt16BE(length, at + 2)
      at += 4
    } else {
      buffer[at + 1] = 127
      buffer.writeBigUInt64BE(BigInt(length), at + 2)
      at += 10
    }
    at += buffer.write(text, at, "utf8")
  }
  return buffer
}
