/** Readers that stop reading, each with as much waiting for it as the kernel takes and some more in the venue itself. */
import * as DevApp from "./DevApp.ts"
import * as Kernel from "./Kernel.ts"
import * as Stranger from "./Stranger.ts"
import * as TradeSocket from "./TradeSocket.ts"

export interface Stalled extends Stranger.Stranger {
  readonly url: string
  /** When the kernel took no more for it. */
  readonly filledAtMillis: number
}

/** Not JSON, and sent back as six characters for each of its own: eight kibibytes bring nearly fifty. */
export const loud = "\u0001".repeat(8_192)
const answerBytes = 6 * loud.length

/** A reader that was told to stop may look once more, and takes up to 64 KiB then; twice that, to be sure. */
const readAheadBytes = 128 * 1024
/** Sent at once, until the kernel does not take all of their answers: fewer than these then wait in the venue. */
const framesAtOnce = 10
/** More than holds pulses back. */
const framesForPulses = 3
/** Less than the mebibyte that ends a connection, with what waits already. */
const framesForLive = 10
/** More than that mebibyte. */
const framesTooMany = 40
const quietMillis = 1_500
const lookMillis = 100
/** What was sent has been taken by then. */
const takenMillis = 1_000
const lateAttempts = 30

/** Hears trades as they happen, and nothing that another message could replace. */
export const tradeReader = async (url: string, from: string): Promise<Stalled> => {
  const stranger = await Stranger.come(url, from)
  stranger.send(subscription(["trade"]))
  return freeze(url, stranger, framesForLive)
}

/** Hears the orders and fills of an account that somebody else trades on. */
export const orderReader = async (url: string, from: string, user: DevApp.User): Promise<Stalled> => {
  const heard: Array<string> = []
  const stranger = await Stranger.come(url, from, (text) => heard.push(text))
  stranger.send(JSON.stringify({ type: "auth", params: { hmac: TradeSocket.signed(user) } }))
  stranger.send(JSON.stringify({ type: "subscribe", params: { channels: ["order_responses", "fills"] } }))
  await DevApp.until("the reader is subscribed", () => heard.some((text) => text.includes('"subscribed":"fills"')))
  return freeze(url, stranger, framesForLive)
}

/** Hears only what the next message says better. */
export const pulseReader = async (url: string, from: string, heard: (text: string) => void): Promise<Stalled> => {
  const stranger = await Stranger.come(url, from, heard)
  stranger.send(subscription(["level2", "bbo"]))
  return freeze(url, stranger, framesForPulses)
}

/**
 * Stops, makes the venue hold more than it will, and reads again: how was it sent away? The venue waits two seconds for
 * its close to be read, so on a busy machine one may come too late, or too early, and another tries.
 */
export const lateReader = async (url: string, from: string): Promise<Stranger.End> => {
  let end: Stranger.End = { code: 0, reason: "it was never sent away" }
  for (let left = lateAttempts; left > 0 && end.code !== sentAway; left--) {
    const stranger = await freeze(url, await Stranger.come(url, from), framesTooMany)
    stranger.thaw()
    end = await Promise.race([stranger.ended, pause(takenMillis).then(() => end)])
    stranger.close()
  }
  return end
}

/** Come again later. */
const sentAway = 1013

export const isHeld = ({ port, url }: Stalled): boolean =>
  Kernel.endsAt(Number(new URL(url).port)).get(port)?.isHeld ?? false

/** The kernel lists its connections in parts: a look may miss one while others come and go, and never invents one. */
const isSeenHeld = async (stalled: Stalled): Promise<boolean> => {
  for (let looks = 0; looks < 5; looks++) {
    if (isHeld(stalled)) return true
    await pause(lookMillis)
  }
  return false
}

export const subscription = (channels: ReadonlyArray<string>): string =>
  JSON.stringify({ type: "subscribe", channels, symbols: ["*"] })

/** False when it has not grown for a while. Bytes on their way count on either side, so it must hold for two looks. */
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

/** When the venue made each pulse. */
const timesOf = (texts: ReadonlyArray<string>): ReadonlyArray<number> =>
  texts
    .map((text) => JSON.parse(text))
    .filter(({ type }) => type === "level2" || type === "bbo")
    .map(({ time }) => Date.parse(time))

/**
 * Reads again after some seconds, before its unanswered pings end it, until it hears what is now: was it kept, and how
 * many pulses of the time when it did not read were kept for it?
 */
export const readAgain = async (reader: Stalled, heard: ReadonlyArray<string>) => {
  await pause(5_000)
  const wasHeld = await isSeenHeld(reader)
  const thawedAtMillis = Date.now()
  reader.thaw()
  await DevApp.until("it hears again", () => timesOf(heard).some((time) => time > thawedAtMillis))
  const kept = timesOf(heard).filter((time) => time > reader.filledAtMillis && time < thawedAtMillis)
  return { wasHeld, kept: kept.length }
}

/** Resolves when the venue has surely taken all that was sent, `frames` more too. */
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

const pause = (millis: number): Promise<void> => new Promise((over) => setTimeout(over, millis))
