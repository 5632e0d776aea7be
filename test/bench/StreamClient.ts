/**
 * Subscribers of one listener, and the traders who make the published trades: `StreamClient.ts <StreamOptions>`. Runs
 * as a child process: it sends `Flowing` and `Over` at the start and end of the measurement, and then a
 * `StreamReport`.
 */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import * as FrameCounter from "./FrameCounter.ts"
import * as StreamFlow from "./StreamFlow.ts"

export interface StreamOptions {
  readonly port: number
  readonly subscribers: number
  /** Each connection's subscription message, or null if the server sends everything to every subscriber. */
  readonly subscription: string | null
  readonly seconds: number
  /** Options of the trades to make, or null if the server generates the messages itself. */
  readonly flow: (StreamFlow.FlowOptions & { readonly inFlight: number }) | null
}

export type StreamMessage = { readonly event: "Flowing" | "Over" } | StreamReport

export interface StreamReport {
  readonly event: "Finished"
  /** Number of numbered messages received, summed over all subscribers. */
  readonly deliveries: number
  readonly trades: number
  readonly bytes: number
  readonly seconds: number
  readonly deliveriesPerSecond: number
  /** Payload sizes of one subscriber's messages in order, at most `keptFrames` of them. */
  readonly frameBytes: ReadonlyArray<number>
  /** Why the result is void, or null if it is valid. */
  readonly problem: string | null
}

const options = JSON.parse(process.argv[2] ?? "{}") as StreamOptions
const keptFrames = 20_000
/** Duration of the warm-up before the measurement. */
const leadMillis = 500
const graceMillis = 15_000
const openingAtOnce = 20
/** One buffer is enough, because each read is processed before the next. */
const memory = Buffer.allocUnsafe(256 * 1024)
const pong = Buffer.of(0x8a, 0x80, 0, 0, 0, 0)
const problems: Array<string> = []
const frameBytes: Array<number> = []
let deliveries = 0
let trades = 0
let bytes = 0
let isMeasuring = false
let isOver = false

interface Subscriber {
  readonly socket: Socket
  readonly problem: () => string | undefined
  trades: number
}

const flow = options.flow === null ? null : await StreamFlow.open(options.flow)
/**
 * For each trade that has not reached all subscribers, the number of subscribers that have received it. The first
 * entry belongs to trade number `delivered`.
 */
const hearing: Array<number> = []
let delivered = 0
let begun = 0

const subscribers: Array<Subscriber> = []
while (subscribers.length < options.subscribers) {
  const count = Math.min(openingAtOnce, options.subscribers - subscribers.length)
  subscribers.push(...(await Promise.all(Array.from({ length: count }, (_, index) => open(index === 0)))))
}
for (const { socket } of subscribers) if (options.subscription !== null) socket.write(masked(options.subscription))
await after(leadMillis)
for (let i = 0; i < (options.flow?.inFlight ?? 0); i++) trade()
await after(leadMillis)
report(await measure())

async function measure(): Promise<number> {
  tell({ event: "Flowing" })
  const startedAt = performance.now()
  isMeasuring = true
  await after(options.seconds * 1000)
  isMeasuring = false
  const seconds = (performance.now() - startedAt) / 1000
  tell({ event: "Over" })
  isOver = true
  if (flow === null) return seconds
  const givenUpAt = performance.now() + graceMillis
  const isLate = (): boolean => delivered < begun && performance.now() < givenUpAt
  while (isLate()) await after(20)
  if (delivered < begun) problems.push(`${begun - delivered} trades did not come to everybody`)
  return seconds
}

function report(seconds: number): void {
  for (const subscriber of subscribers) {
    const problem = subscriber.problem()
    if (problem !== undefined) problems.push(problem)
    if (flow !== null && subscriber.trades !== begun) {
      problems.push(`${begun} trades were made, and ${subscriber.trades} came to one subscriber`)
    }
    subscriber.socket.removeAllListeners("close")
    subscriber.socket.destroy()
  }
  const refused = flow?.problem()
  if (refused !== undefined) problems.push(`the trades were not as asked: ${refused}`)
  const found: StreamReport = {
    event: "Finished",
    deliveries,
    trades,
    bytes,
    seconds,
    deliveriesPerSecond: Math.round(deliveries / seconds),
    frameBytes,
    problem: problems[0] ?? null
  }
  void Promise.resolve(flow?.end()).then(() => tell(found, () => process.exit(0)))
}

function trade(): void {
  begun++
  hearing.push(0)
  flow!.trade()
}

/**
 * Starts the next trade when a trade has reached every subscriber, so no subscriber falls behind and the venue always
 * has work.
 */
function heardTrade(subscriber: Subscriber): void {
  const place = subscriber.trades++ - delivered
  if (flow === null) return
  if (place >= hearing.length) {
    problems.push("a trade came that nobody made")
    return
  }
  if (++hearing[place]! < options.subscribers) return
  // Each subscriber receives trades in order, so all earlier trades have also reached every subscriber.
  hearing.splice(0, place + 1)
  delivered += place + 1
  if (!isOver) for (let i = 0; i <= place; i++) trade()
}

function open(isKept: boolean): Promise<Subscriber> {
  const isFirst = isKept && subscribers.length === 0
  return new Promise((resolve, reject) => {
    let answer = ""
    const counter = FrameCounter.make({
      frame: (length) => {
        if (!isMeasuring) return
        deliveries++
        bytes += length
        if (isFirst && frameBytes.length < keptFrames) frameBytes.push(length)
      },
      trade: () => {
        if (isMeasuring) trades++
        heardTrade(subscriber)
      },
      ping: () => void socket.write(pong)
    })
    const socket = connect({
      port: options.port,
      host: "127.0.0.1",
      onread: {
        buffer: memory,
        callback: (length, read) => {
          const chunk = Buffer.from(read.buffer, read.byteOffset, length)
          if (answer.endsWith("\r\n\r\n")) counter.read(chunk)
          else upgrade(chunk)
          return true
        }
      }
    })
    const upgrade = (chunk: Buffer): void => {
      const end = chunk.indexOf("\r\n\r\n")
      answer += chunk.toString("latin1", 0, end < 0 ? chunk.length : end + 4)
      if (end < 0) return
      if (!answer.startsWith("HTTP/1.1 101")) return reject(new Error(answer))
      resolve(subscriber)
      counter.read(chunk.subarray(end + 4))
    }
    const subscriber: Subscriber = { socket, problem: counter.problem, trades: 0 }
    socket.setNoDelay(true)
    socket.on("error", reject)
    socket.on("close", () => problems.push("a subscriber was cut off"))
    socket.on("connect", () => socket.write(upgradeOf(options.port)))
  })
}

function upgradeOf(port: number): string {
  return (
    `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`
  )
}

/** Returns a frame with a zero mask, which costs nothing to apply. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  const header = Buffer.alloc(8)
  header[0] = 0x81
  header[1] = 0x80 | 126
  header.writeUInt16BE(payload.length, 2)
  return Buffer.concat([header, payload])
}

function tell(message: StreamMessage, told: () => void = () => {}): void {
  process.send!(message, told)
}

function after(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}
