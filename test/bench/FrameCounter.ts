/** Counts the frames of a market-data stream on one socket, without decoding their text. */

export interface FrameListener {
  /** Called for each numbered message, with its payload size in bytes. */
  readonly frame: (bytes: number) => void
  /** Called after `frame` if the message is a trade. */
  readonly trade: () => void
  readonly ping: () => void
}

export interface FrameCounter {
  /** Processes the bytes of one read. The caller is then free to reuse the buffer. */
  readonly read: (bytes: Buffer) => void
  /** Returns the fault of the messages, or undefined if they were complete, unique and in order. */
  readonly problem: () => string | undefined
}

export const make = (heard: FrameListener): FrameCounter => {
  /** Start of a frame that is too short to classify yet. */
  let rest = none
  /** Number of bytes that a frame already counted still lacks. */
  let left = 0
  let sequence = 0
  let problem: string | undefined

  const take = (bytes: Buffer, at: number, length: number, opcode: number): void => {
    if (opcode === ping) return heard.ping()
    if (opcode !== text) {
      problem ??= `a frame with opcode ${opcode}`
      return
    }
    const kind = bytes[at + kindAt]!
    if (kind === confirmation) return
    const found = sequenceOf(bytes, at)
    if (found !== ++sequence) {
      const shown = bytes.toString("latin1", at, at + Math.min(length, peekBytes))
      problem ??= `number ${sequence} was due, and there came ${shown}`
    }
    heard.frame(length)
    if (kind === trade) heard.trade()
  }
  const read = (chunk: Buffer): void => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = Math.min(left, bytes.length)
    left -= at
    while (bytes.length - at >= 2) {
      const header = headerOf(bytes[at + 1]!)
      if (bytes.length - at < header) break
      const length = lengthOf(bytes, at)
      if (bytes.length - at < header + Math.min(length, peekBytes)) break
      take(bytes, at + header, length, bytes[at]! & 0x0f)
      const end = at + header + length
      left = Math.max(0, end - bytes.length)
      at = end - left
    }
    rest = at === bytes.length ? none : Buffer.from(bytes.subarray(at))
  }
  return { read, problem: () => problem }
}

const none = Buffer.alloc(0)
const text = 0x1
const ping = 0x9
/**
 * Position of the channel name: every message starts with `{"type":"` and its channel name, followed by the sequence
 * number.
 */
const kindAt = 9
/** First letter of the trades channel, unique among channel names. */
const trade = "t".charCodeAt(0)
/** First letter of `subscribed`, a message without a sequence number. */
const confirmation = "s".charCodeAt(0)
const colon = ":".charCodeAt(0)
/** Number of bytes that cover the longest channel name and sequence number. */
const peekBytes = 64

const headerOf = (second: number): number => (second < 126 ? 2 : second === 126 ? 4 : 10)

const lengthOf = (bytes: Buffer, at: number): number => {
  const short = bytes[at + 1]!
  return short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** Parses the digits after the second colon. */
const sequenceOf = (bytes: Buffer, at: number): number => {
  const from = bytes.indexOf(colon, at + kindAt) + 1
  let sequence = 0
  for (let i = from; ; i++) {
    const digit = bytes[i]! - 48
    if (!(digit >= 0 && digit <= 9)) return sequence
    sequence = 10 * sequence + digit
  }
}
