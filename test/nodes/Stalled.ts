/** Clients that stop reading, with full kernel buffers and a fixed number of frames buffered in the venue. */
import * as DevApp from "./DevApp.ts"
import * as Kernel from "./Kernel.ts"
import * as Stranger from "./Stranger.ts"
import * as TradeSocket from "./TradeSocket.ts"

export interface Stalled extends Stranger.Stranger {
  readonly url: string
  /** Time at which the kernel buffers became full. */
  readonly filledAtMillis: number
}

/** A frame that is not JSON. The error response escapes each character as six characters, so 8 KiB become 48 KiB. */
export const loud = "\u0001".repeat(8_192)
const answerBytes = 6 * loud.length

/** A paused socket might still perform one more read of up to 64 KiB. The margin is twice that size. */
const readAheadBytes = 128 * 1024
/** Frames sent at once until the kernel stops accepting responses. The venue then buffers fewer frames than this. */
const framesAtOnce = 10
/** Number of buffered frames at which the venue stops sending periodic updates. */
const framesForPulses = 3
/** Number of buffered frames that stay below 1 MiB, the limit at which the venue closes a connection. */
const framesForLive = 10
/** Number of frames whose responses exceed 1 MiB. */
const framesTooMany = 40
const quietMillis = 1_500
const lookMillis = 100
/** Time that the venue needs to process the sent frames. */
const takenMillis = 1_000
const lateAttempts = 30

/** Opens a client that stops reading a trades channel, whose messages are never superseded. */
export const tradeReader = async (url: string, from: string): Promise<Stalled> => {
  const stranger = await Stranger.come(url, from)
  stranger.send(subscription(["trade"]))
  return freeze(url, stranger, framesForLive)
}

/** Opens a client that stops reading the orders and fills of an account that trades on another connection. */
export const orderReader = async (url: string, from: string, user: DevApp.User): Promise<Stalled> => {
  const frames: Array<string> = []
  const stranger = await Stranger.come(url, from, (text) => frames.push(text))
  stranger.send(JSON.stringify({ type: "auth", params: { hmac: TradeSocket.signed(user) } }))
  stranger.send(JSON.stringify({ type: "subscribe", params: { channels: ["order_responses", "fills"] } }))
  await DevApp.until("the reader is subscribed", () => frames.some((text) => text.includes('"subscribed":"fills"')))
  return freeze(url, stranger, framesForLive)
}

/** Opens a client that stops reading periodic updates, each of which supersedes the previous one. */
const pulseReader = async (url: string, from: string, frames: (text: string) => void): Promise<Stalled> => {
  const stranger = await Stranger.come(url, from, frames)
  stranger.send(subscription(["level2", "bbo"]))
  return freeze(url, stranger, framesForPulses)
}

/**
 * Stops reading until the venue buffers more than 1 MiB, then reads again. Returns how the connection was closed. The
 * venue waits 2 s for the client to read its close frame, so a client that reads too late or too early is replaced by
 * a new one.
 */
export const lateReader = async (url: string, from: string): Promise<Stranger.End> => {
  let end: Stranger.End = { code: 0, reason: "the venue never closed the connection" }
  for (let attempt = 0; attempt < lateAttempts && end.code !== tryAgainLater; attempt++) {
    const stranger = await freeze(url, await Stranger.come(url, from), framesTooMany)
    stranger.thaw()
    end = await Promise.race([stranger.ended, pause(takenMillis).then(() => end)])
    stranger.close()
  }
  return end
}

/** Close code "Try Again Later". */
const tryAgainLater = 1013

/** Returns whether the venue still holds the connection open. */
export const isHeld = ({ port, url }: Stalled): boolean =>
  Kernel.endsAt(Number(new URL(url).port)).get(port)?.isHeld ?? false

/**
 * Returns whether at least one of five reads of the kernel's table contains the connection. A single read might miss
 * a connection while others change.
 */
const isListed = async (stalled: Stalled): Promise<boolean> => {
  for (let reads = 0; reads < 5; reads++) {
    if (isHeld(stalled)) return true
    await pause(lookMillis)
  }
  return false
}

export const subscription = (channels: ReadonlyArray<string>): string =>
  JSON.stringify({ type: "subscribe", channels, symbols: ["*"] })

/**
 * Returns true when two consecutive samples reach the size, because one sample might count bytes in transit twice.
 * Returns false after 1.5 s without growth.
 */
async function reaches(size: () => number, wanted: number): Promise<boolean> {
  let before = 0
  for (let grewAt = performance.now(); performance.now() - grewAt < quietMillis;) {
    await pause(lookMillis)
    const now = size()
    if (before >= wanted && now >= wanted) return true
    if (now > before) grewAt = performance.now()
    before = now
  }
  return false
}

/** Returns the times of the periodic updates. */
const timesOf = (texts: ReadonlyArray<string>): ReadonlyArray<number> =>
  texts
    .map((text) => JSON.parse(text))
    .filter(({ type }) => type === "level2" || type === "bbo")
    .map(({ time }) => Date.parse(time))

/**
 * Stops reading periodic updates for 5 s, then reads until a current update arrives. Returns whether the connection
 * was kept, and how many of the received updates were sent during the pause. The venue disconnects a client that
 * leaves a ping unanswered for 40 s. A busy machine can exceed this time, so a disconnected client is replaced by a
 * new one.
 */
export const readAgain = async (url: string, from: string) => {
  for (let attempt = 1; ; attempt++) {
    const frames: Array<string> = []
    const reader = await pulseReader(url, from, (text) => frames.push(text))
    await pause(5_000)
    const wasHeld = await isListed(reader)
    const thawedAtMillis = Date.now()
    reader.thaw()
    const isCurrent = () => timesOf(frames).some((time) => time > thawedAtMillis)
    await DevApp.until("a current pulse arrives", () => isCurrent() || !reader.isOpen())
    const kept = timesOf(frames).filter((time) => time > reader.filledAtMillis && time < thawedAtMillis)
    if ((wasHeld && isCurrent()) || attempt === lateAttempts) return { reader, wasHeld, kept: kept.length }
    reader.close()
  }
}

/** Stops reading, fills the kernel buffers, sends `frames` more frames, and waits 1 s for the venue to process them. */
async function freeze(url: string, stranger: Stranger.Stranger, frames: number): Promise<Stalled> {
  const unread = () => Kernel.endsAt(Number(new URL(url).port)).get(stranger.port)?.unreadBytes ?? 0
  stranger.freeze()
  for (let sent = 0, isFull = false; !isFull;) {
    for (let i = 0; i < framesAtOnce; i++) stranger.send(loud)
    sent += framesAtOnce
    isFull = !(await reaches(unread, sent * answerBytes - readAheadBytes))
  }
  for (let i = 0; i < frames; i++) stranger.send(loud)
  await pause(takenMillis)
  return { ...stranger, url, filledAtMillis: Date.now() }
}

const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))
