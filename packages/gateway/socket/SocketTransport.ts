/**
 * Transport of one WebSocket. Joins the outgoing frames of an event-loop turn into one write, and holds incoming
 * frames while paused.
 */
import type { Socket as NetSocket } from "node:net"
import type { WebSocket } from "ws"
import type { Allowance } from "./SocketBudget.ts"
import { maxWaitingBytes, type Transport } from "./Transport.ts"

/** Time after which a client that does not respond to a close is disconnected. */
const closeGraceMillis = 2_000

export interface SocketTransport extends Transport {
  /** Receives a frame. Passes it on after all earlier frames, unless the transport is paused. */
  readonly arrived: (frame: Buffer) => void
  /** Called when the client is gone. Passes on the frames that were received before. */
  readonly ended: () => void
  /** True while the transport accepts no frames. */
  readonly isPaused: () => boolean
  /** Sets the callback for the time when all held frames have been passed on, so that reading can resume. */
  readonly whenTaken: (proceed: () => void) => void
}

/** Opens the transport. Writes the outgoing frames of an event-loop turn to the net socket as one buffer. */
export function open(
  ws: WebSocket,
  socket: NetSocket,
  take: (frame: Buffer) => void,
  after: (millis: number, end: () => void) => void,
  { closing, unread }: Pick<Allowance, "closing" | "unread">
): SocketTransport {
  let gathered: Array<string> | undefined
  let isPaused = false
  let isClosed = false
  let proceed = () => {}
  /** Frames read before a pause took effect, at most those of one event-loop turn. */
  let held: Array<Buffer> = []
  let answers = { inFlight: 0, waiting: 0 }
  /** Counts unread bytes: those in the socket if the kernel buffer is full, plus all waiting long responses. */
  const countUnread = () => {
    if (unread(answers.waiting + (socket.writableNeedDrain ? socket.writableLength : 0)) || isClosed) return
    close(1013, "the client did not read its frames, and the gateway's buffer for unread frames is full")
  }
  const flush = () => {
    const texts = gathered
    gathered = undefined
    if (texts === undefined || ws.readyState !== ws.OPEN || socket.destroyed) return
    if (!socket.write(framed(texts))) countUnread()
  }
  socket.on("drain", countUnread)
  const close = (code: number, reason: string) => {
    if (!isClosed) closing(code)
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
      atEndOfTurn(flush)
    },
    close,
    ping: () => {
      if (ws.readyState === ws.OPEN && !ws.isPaused && socket.writableLength === 0) ws.ping()
    },
    pause: () => {
      isPaused = true
      ws.pause()
    },
    resume: () => {
      isPaused = false
      // Deferred, because the caller might be in the middle of delivering frames.
      setImmediate(drain)
    },
    waitingBytes: () => socket.writableLength,
    isOverfull: () => socket.writableLength > maxWaitingBytes + answers.inFlight,
    countAnswers: (inFlight, waiting) => {
      answers = { inFlight, waiting }
      countUnread()
    },
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

/** Schedules a flush. All flushes of an event-loop turn share one callback. */
function atEndOfTurn(flush: () => void): void {
  if (flushes.push(flush) === 1) process.nextTick(flushAll)
}

function flushAll(): void {
  const due = flushes
  flushes = []
  for (const flush of due) flush()
}

/** Encodes texts as consecutive unmasked text frames. */
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
