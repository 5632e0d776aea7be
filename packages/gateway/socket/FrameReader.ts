/** Hands what one socket sends to the parser: whole frames, each charged before anything is done for it, some a turn. */
import type { Socket as NetSocket } from "node:net"
import type { WebSocket } from "ws"
import { type Allowance, limits, unitsOf } from "./SocketBudget.ts"

export interface FrameReader {
  /** Says that messages are taken again. */
  readonly proceed: () => void
}

export interface FrameReaderOptions {
  readonly ws: WebSocket
  readonly socket: NetSocket
  readonly allowance: Allowance
  readonly nowMillis: () => number
  /** True while nobody takes messages. */
  readonly isPaused: () => boolean
  readonly close: (code: number, reason: string) => void
  readonly after: (millis: number, run: () => void) => void
}

export const open = (options: FrameReaderOptions): FrameReader => {
  const { allowance, socket, ws } = options
  const parse = takenFrom(socket)
  /** These bytes were read and not handed on; an unfinished frame has a buffer of its own. */
  let pending: Buffer = nothing
  /** The parser keeps so much of a message that is not finished. */
  let fragmentBytes = 0
  const frames = framesOf(allowance)
  let isOver = false
  let isWaiting = false
  const discard = discarding(ws)
  const isPatient = patienceOf(options.nowMillis)

  const end = (code: number, reason: string) => {
    isOver = true
    options.close(code, reason)
    // So that the client hears of its end, although nothing that it sends is read any more.
    socket.end()
  }
  /** Memory is counted, not payload: a small frame costs as much as it holds on to. */
  const keep = () => {
    const bytes = pending.buffer.byteLength + fragmentBytes + frames.fragments() * fragmentOverheadBytes
    if (!allowance.unfinished(bytes)) end(1013, "too much is unfinished here: send messages whole, or come again later")
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
      return end(1008, "too many frames or pings: this address has used up what it may send; send fewer a second")
    }
    later((run) => options.after(retryMillis, run))
    keep()
  }

  const advance = (): Next => {
    const next = frames.walk(pending)
    const at = frames.passed()
    isOver ||= next === "over" || next === "fragmented"
    // What the parser keeps of an unfinished message may not hold on to all that was read with it.
    const isOpen = frames.fragments() > 0
    const part = isOpen ? own(pending, at) : pending.subarray(0, at)
    fragmentBytes = isOpen ? fragmentBytes + at : 0
    pending = isOver || at === pending.length ? nothing : pending.subarray(at)
    if (part.length > 0) parse.call(socket, part)
    if (next === "fragmented") end(1008, `a message has ${limits.fragmentsPerMessage} fragments at most: send it whole`)
    return next
  }
  const pump = () => {
    if (isOver || isWaiting || socket.destroyed || options.isPaused()) return
    const next = advance()
    if (isOver || socket.destroyed) return
    if (next === "starved") return starved()
    if (next === "more" && pending.length > 0) {
      // Whoever paused the taking lets it go on.
      if (!options.isPaused()) later(setImmediate)
      return
    }
    // One who sends a frame byte by byte pays for each.
    if (pending.length > 0 && !allowance.frame(1)) return starved()
    if (pending.buffer.byteLength > 2 * pending.length) pending = own(pending, pending.length)
    keep()
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

/** The parser would take all that was read at once, without a word between two frames: it is called from here instead. */
function takenFrom(socket: NetSocket): (this: NetSocket, bytes: Buffer) => void {
  const parse = socket.listeners("data").at(-1) as (this: NetSocket, bytes: Buffer) => void
  socket.off("data", parse)
  return parse
}

/** After the end of a socket it is read as far as it takes to see the end of the client, and no further. */
function discarding(ws: WebSocket): (bytes: Buffer) => void {
  let discardedBytes = 0
  return ({ length }) => {
    discardedBytes += length
    if (discardedBytes > limits.frameBytes) ws.pause()
  }
}

/** This comes after the frames that were passed. */
type Next = "unfinished" | "more" | "starved" | "fragmented" | "over"

const retryMillis = 100
/** A buffer, its view and its place in a list take about this. */
const fragmentOverheadBytes = 256
/** A view of Node's pool would seem to hold on to all of that. */
const nothing = Buffer.allocUnsafeSlow(0)
const final = 0x80
const opcodes = 0x0f
const closing = 0x08

/** It is asked whenever a socket has nothing left; who had enough for a second begins anew. */
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
  /** Charges whole frames from the start of these bytes, for one turn. */
  readonly walk: (bytes: Buffer) => Next
  /** Tells the length of those frames. */
  readonly passed: () => number
  /** Counts the frames so far of a message that is not finished. */
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
        // The parser says what is wrong with it.
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

/** No client may send this, as far as the first two bytes of a frame tell. */
function isMalformed(first: number, second: number, fragments: number): boolean {
  const opcode = first & opcodes
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return true
  if (opcode >= closing) return opcode > 0x0a || (first & final) === 0 || (second & 0x7f) > 125
  return opcode > 2 || (opcode === 0) !== fragments > 0
}

/** A header has two bytes, those of a longer length, and the mask. */
const headerOf = (second: number): number => {
  const short = second & 0x7f
  return short < 126 ? 6 : short === 126 ? 8 : 14
}

/** The header must be all there. */
function payloadAt(bytes: Buffer, at: number): number {
  const short = bytes[at + 1]! & 0x7f
  if (short < 126) return short
  if (short === 126) return bytes.readUInt16BE(at + 2)
  return bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6)
}

/** The copy holds on to nothing else. */
function own(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(length)
  bytes.copy(copy, 0, 0, length)
  return copy
}

/** Its room doubles as it grows, so that a frame of many small reads is not copied for each. */
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
