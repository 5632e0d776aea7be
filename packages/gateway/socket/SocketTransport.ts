/** The transport of one WebSocket: frames out joined into one write per turn, frames in held back while it is paused. */
import type { Socket as NetSocket } from "node:net"
import type { WebSocket } from "ws"
import type { Allowance } from "./SocketBudget.ts"
import { maxWaitingBytes, type Transport } from "./Transport.ts"

/** A client that never answers a close is cut off after this. */
const closeGraceMillis = 2_000

export interface SocketTransport extends Transport {
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
export function open(
  ws: WebSocket,
  socket: NetSocket,
  take: (frame: Buffer) => void,
  after: (millis: number, end: () => void) => void,
  unread: Allowance["unread"]
): SocketTransport {
  let gathered: Array<string> | undefined
  let isPaused = false
  let isClosed = false
  let proceed = () => {}
  /** Read before the pause began, as far as one turn went. */
  let held: Array<Buffer> = []
  let answers = { inFlight: 0, waiting: 0 }
  /** Frames in the socket count once the kernel takes no more; long answers that wait outside it count always. */
  const countUnread = () => {
    if (unread(answers.waiting + (socket.writableNeedDrain ? socket.writableLength : 0)) || isClosed) return
    close(1013, "frames were not read, and too many wait for others")
  }
  const flush = () => {
    const texts = gathered
    gathered = undefined
    if (texts === undefined || ws.readyState !== ws.OPEN || socket.destroyed) return
    if (!socket.write(framed(texts))) countUnread()
  }
  socket.on("drain", countUnread)
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
    ping: () => {
      if (ws.readyState === ws.OPEN && !ws.isPaused && socket.writableLength === 0) ws.ping()
    },
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
