/** What one socket sends, on its way to the parser: whole frames, each charged before anything is done for it, some a turn. */
import type { Socket as NetSocket } from "node:net"
import type { WebSocket } from "ws"
import { type Allowance, limits, unitsOf } from "./SocketBudget.ts"

export interface Intake {
  /** Whoever takes the messages takes more of them again. */
  readonly proceed: () => void
}

export interface IntakeOptions {
  readonly ws: WebSocket
  readonly socket: NetSocket
  readonly allowance: Allowance
  readonly nowMillis: () => number
  /** Nobody takes messages for now. */
  readonly isPaused: () => boolean
  readonly close: (code: number, reason: string) => void
  readonly after: (millis: number, run: () => void) => void
}

export const open = (options: IntakeOptions): Intake => {
  const { allowance, socket, ws } = options
  // The parser would take all that was read at once, without a word between two frames.
  const parse = socket.listeners("data").at(-1) as (this: NetSocket, bytes: Buffer) => void
  socket.off("data", parse)
  /** Read and not handed on; of an unfinished frame a buffer of its own. */
  let pending: Buffer = nothing
  /** Frames of the message that is not finished, and what the parser keeps of it. */
  let fragments = 0
  let messageBytes = 0
  let fragmentBytes = 0
  let isOver = false
  let isWaiting = false
  let discardedBytes = 0
  let starvedSinceMillis = -Infinity
  let starvedAtMillis = -Infinity

  const end = (code: number, reason: string) => {
    isOver = true
    options.close(code, reason)
    // So that the client hears of its end, although nothing that it sends is read any more.
    socket.end()
  }
  /** In memory: a small frame costs as much as it holds on to. */
  const keep = () => {
    const bytes = pending.buffer.byteLength + fragmentBytes + fragments * fragmentOverheadBytes
    if (!allowance.keep(bytes)) end(1013, "too much is unfinished here: send messages whole, or come again later")
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
    const now = options.nowMillis()
    if (now - starvedAtMillis > 10 * retryMillis) starvedSinceMillis = now
    starvedAtMillis = now
    if (now - starvedSinceMillis >= limits.patienceMillis) {
      ws.pause()
      return end(1008, "too many frames or pings: this address has used up what it may send; send fewer a second")
    }
    later((run) => options.after(retryMillis, run))
    keep()
  }

  /** Charges whole frames from the start of what is pending and hands them on; says what comes after them. */
  const advance = (): Next => {
    let at = 0
    let units: number = limits.unitsPerTurn
    const hand = (next: Next) => {
      // What the parser keeps of an unfinished message may not hold on to all that was read with it.
      const part = fragments > 0 ? own(pending, at) : pending.subarray(0, at)
      fragmentBytes = fragments > 0 ? fragmentBytes + at : 0
      pending = next === "over" || at === pending.length ? nothing : pending.subarray(at)
      isOver ||= next === "over"
      if (part.length > 0) parse.call(socket, part)
      return next
    }
    while (units > 0) {
      const left = pending.length - at
      if (left < 2) return hand("unfinished")
      const first = pending[at]!
      const second = pending[at + 1]!
      const isControl = (first & closing) !== 0
      const header = headerOf(second)
      const payload = left < header ? 0 : payloadAt(pending, at)
      if (isMalformed(first, second, fragments) || (!isControl && messageBytes + payload > limits.frameBytes)) {
        // The parser says what is wrong with it.
        at = pending.length
        return hand("over")
      }
      if (left < header + payload) return hand("unfinished")
      const weight = unitsOf(payload)
      if (!(isControl ? allowance.control() : allowance.frame(weight))) return hand("starved")
      if (!isControl && fragments === limits.fragmentsPerMessage) {
        hand("over")
        end(1008, `a message has ${limits.fragmentsPerMessage} fragments at most: send it whole`)
        return "over"
      }
      units -= weight
      at += header + payload
      if ((first & 0x0f) === closing) return hand("over")
      if (isControl) continue
      const isFinal = (first & final) !== 0
      fragments = isFinal ? 0 : fragments + 1
      messageBytes = isFinal ? 0 : messageBytes + payload
    }
    return hand("more")
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
    if (!isOver) {
      pending = pending.length === 0 ? bytes : joined(pending, bytes)
      return pump()
    }
    // Read as far as it takes to see the end of the client, and no further.
    discardedBytes += bytes.length
    if (discardedBytes > limits.frameBytes) ws.pause()
  })
  ws.on("error", () => (isOver = true))
  ws.on("close", allowance.close)
  return { proceed: pump }
}

type Next = "unfinished" | "more" | "starved" | "over"

const retryMillis = 100
/** A buffer, its view and its place in a list. */
const fragmentOverheadBytes = 256
/** Of a pool it would seem to hold on to that. */
const nothing = Buffer.allocUnsafeSlow(0)
const final = 0x80
const closing = 0x08

/** What no client may send, as far as the first two bytes of a frame tell. */
function isMalformed(first: number, second: number, fragments: number): boolean {
  const opcode = first & 0x0f
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return true
  if (opcode >= closing) return opcode > 0x0a || (first & final) === 0 || (second & 0x7f) > 125
  return opcode > 2 || (opcode === 0) !== fragments > 0
}

/** Two bytes, those of a longer length, and the mask. */
const headerOf = (second: number): number => {
  const short = second & 0x7f
  return short < 126 ? 6 : short === 126 ? 8 : 14
}

/** Of a frame whose header is all there. */
function payloadAt(bytes: Buffer, at: number): number {
  const short = bytes[at + 1]! & 0x7f
  if (short < 126) return short
  if (short === 126) return bytes.readUInt16BE(at + 2)
  return bytes.readUInt32BE(at + 2) * 2 ** 32 + bytes.readUInt32BE(at + 6)
}

/** A copy that holds on to nothing else. */
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
