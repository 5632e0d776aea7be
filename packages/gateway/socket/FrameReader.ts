/**
 * Reads one socket's frames: charges each before the parser gets it, and passes on a limited number per event-loop
 * turn.
 */
import type { Socket as NetSocket } from "node:net"
import type { WebSocket } from "ws"
import { type Allowance, limits, unitsOf } from "./SocketBudget.ts"

export interface FrameReader {
  /** Resumes reading after a pause. */
  readonly proceed: () => void
}

export interface FrameReaderOptions {
  readonly ws: WebSocket
  readonly socket: NetSocket
  readonly allowance: Allowance
  readonly nowMillis: () => number
  /** True while the connection accepts no messages. */
  readonly isPaused: () => boolean
  readonly close: (code: number, reason: string) => void
  readonly after: (millis: number, run: () => void) => void
}

export const open = (options: FrameReaderOptions): FrameReader => {
  const { allowance, socket, ws } = options
  const parse = takenFrom(socket)
  /** Bytes not yet passed to the parser. An unfinished frame has its own buffer. */
  let pending: Buffer = nothing
  /** Bytes of an unfinished message inside the parser. */
  let fragmentBytes = 0
  const frames = framesOf(allowance)
  let isOver = false
  let isWaiting = false
  const discard = discarding(ws)
  const isPatient = patienceOf(options.nowMillis)

  const end = (code: number, reason: string) => {
    isOver = true
    options.close(code, reason)
    // Sends the close frame, although no further input is read.
    socket.end()
  }
  /** Charges unfinished bytes. Counts memory instead of payload, because a small frame keeps its whole buffer alive. */
  const chargeUnfinished = () => {
    const bytes = pending.buffer.byteLength + fragmentBytes + frames.fragments() * fragmentOverheadBytes
    if (!allowance.unfinished(bytes))
      end(1013, "unfinished messages use too much memory; send each message in one frame, or reconnect later")
  }
  const later = (start: (run: () => void) => void) => {
    isWaiting = true
    ws.pause()
    start(() => {
      isWaiting = false
      pump()
    })
  }
  const starved = () => {
    if (!isPatient()) {
      ws.pause()
      return end(1008, "too many frames or pings from this address; send fewer per second")
    }
    later((run) => options.after(retryMillis, run))
    chargeUnfinished()
  }

  const advance = (): Next => {
    const next = frames.walk(pending)
    const at = frames.passed()
    isOver ||= next === "over" || next === "fragmented"
    // Copied, so that the parser's part of an unfinished message does not keep the whole read buffer alive.
    const isOpen = frames.fragments() > 0
    const part = isOpen ? own(pending, at) : pending.subarray(0, at)
    fragmentBytes = isOpen ? fragmentBytes + at : 0
    pending = isOver || at === pending.length ? nothing : pending.subarray(at)
    if (part.length > 0) parse.call(socket, part)
    if (next === "fragmented")
      end(1008, `a message can have at most ${limits.fragmentsPerMessage} fragments; send it in one frame`)
    return next
  }
  const pump = () => {
    if (isOver || isWaiting || socket.destroyed || options.isPaused()) return
    const next = advance()
    if (isOver || socket.destroyed) return
    if (next === "starved") return starved()
    if (next === "more" && pending.length > 0) {
      // A paused connection calls `proceed` when it resumes.
      if (!options.isPaused()) later(setImmediate)
      return
    }
    // Each read of an unfinished frame is charged, so that a frame sent byte by byte costs more.
    if (pending.length > 0 && !allowance.frame(1)) return starved()
    if (pending.buffer.byteLength > 2 * pending.length) pending = own(pending, pending.length)
    chargeUnfinished()
    if (ws.isPaused && !isOver && !options.isPaused()) ws.resume()
  }
  socket.on("data", (bytes: Buffer) => {
    if (isOver) return discard(bytes)
    pending = pending.length === 0 ? bytes : joined(pending, bytes)
    pump()
  })
  ws.on("error", () => (isOver = true))
  return { proceed: pump }
}

/** Detaches the parser from the socket, because it would process all frames of a read without charges in between. */
function takenFrom(socket: NetSocket): (this: NetSocket, bytes: Buffer) => void {
  const parse = socket.listeners("data").at(-1) as (this: NetSocket, bytes: Buffer) => void
  socket.off("data", parse)
  return parse
}

/** Discards input after the close, up to one frame's length, so that the client's close frame still arrives. */
function discarding(ws: WebSocket): (bytes: Buffer) => void {
  let discardedBytes = 0
  return ({ length }) => {
    discardedBytes += length
    if (discardedBytes > limits.frameBytes) ws.pause()
  }
}

/** Reason why `walk` stopped. */
type Next = "unfinished" | "more" | "starved" | "fragmented" | "over"

const retryMillis = 100
/** Approximate memory of a fragment: a buffer, its view and its list entry. */
const fragmentOverheadBytes = 256
/** Not a view of Node's buffer pool, because the pool's whole length would be counted. */
const nothing = Buffer.allocUnsafeSlow(0)
const final = 0x80
const opcodes = 0x0f
const closing = 0x08

/**
 * Returns a function to call whenever the allowance is exhausted. It returns false once the allowance has been
 * exhausted for 5 s; 1 s without a call restarts this time.
 */
function patienceOf(nowMillis: () => number): () => boolean {
  let sinceMillis = -Infinity
  let lastMillis = -Infinity
  return () => {
    const now = nowMillis()
    if (now - lastMillis > 10 * retryMillis) sinceMillis = now
    lastMillis = now
    return now - sinceMillis < limits.patienceMillis
  }
}

interface Frames {
  /** Charges complete frames from the start of the bytes, for one event-loop turn. */
  readonly walk: (bytes: Buffer) => Next
  /** Returns the length of the charged frames, in bytes. */
  readonly passed: () => number
  /** Returns the number of fragments of the unfinished message. */
  readonly fragments: () => number
}

function framesOf(allowance: Allowance): Frames {
  let at = 0
  let fragments = 0
  let messageBytes = 0
  const walk = (bytes: Buffer): Next => {
    at = 0
    for (let units: number = limits.unitsPerTurn; units > 0;) {
      const left = bytes.length - at
      if (left < 2) return "unfinished"
      const first = bytes[at]!
      const second = bytes[at + 1]!
      const isControl = (first & closing) !== 0
      const header = headerOf(second)
      const payload = left < header ? 0 : payloadAt(bytes, at)
      if (isMalformed(first, second, fragments) || (!isControl && messageBytes + payload > limits.frameBytes)) {
        // Passed to the parser, which rejects the frame with the right close code.
        at = bytes.length
        return "over"
      }
      if (left < header + payload) return "unfinished"
      const weight = unitsOf(payload)
      if (!(isControl ? allowance.control() : allowance.frame(weight))) return "starved"
      if (!isControl && fragments === limits.fragmentsPerMessage) return "fragmented"
      units -= weight
      at += header + payload
      if ((first & opcodes) === closing) return "over"
      if (isControl) continue
      const isFinal = (first & final) !== 0
      fragments = isFinal ? 0 : fragments + 1
      messageBytes = isFinal ? 0 : messageBytes + payload
    }
    return "more"
  }
  return { walk, passed: () => at, fragments: () => fragments }
}

/** True for a frame that the protocol forbids, judged by its first two bytes. */
function isMalformed(first: number, second: number, fragments: number): boolean {
  const opcode = first & opcodes
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return true
  if (opcode >= closing) return opcode > 0x0a || (first & final) === 0 || (second & 0x7f) > 125
  return opcode > 2 || (opcode === 0) !== fragments > 0
}

/** Returns the length of a frame header: two bytes, the extended length, and the mask. */
const headerOf = (second: number): number => {
  const short = second & 0x7f
  return short < 126 ? 6 : short === 126 ? 8 : 14
}

/** Returns the payload length of a frame whose header is complete. */
function payloadAt(bytes: Buffer, at: number): number {
  const short = bytes[at + 1]! & 0x7f
  if (short < 126) return short
  if (short === 126) return bytes.readUInt16BE(at + 2)
  return bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6)
}

/** Copies bytes into a new buffer. */
function own(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length)
  bytes.copy(copy, 0, 0, length)
  return copy
}

/** Appends bytes to a buffer that doubles when full, so that a frame of many small reads is not copied each time. */
function joined(pending: Buffer, bytes: Buffer): Buffer {
  const length = pending.length + bytes.length
  if (pending.byteOffset > 0 || pending.buffer.byteLength < length) {
    const room = Buffer.allocUnsafeSlow(Math.max(length, 2 * pending.length))
    pending.copy(room)
    bytes.copy(room, pending.length)
    return room.subarray(0, length)
  }
  const all = Buffer.from(pending.buffer, 0, length)
  bytes.copy(all, pending.length)
  return all
}
