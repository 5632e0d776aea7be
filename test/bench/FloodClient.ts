/**
 * Open-loop load, run as a child process: it sends orders at a fixed rate, whether or not earlier orders have
 * responses. Each connection places orders away from the market and cancels each of them immediately. Alternatively,
 * pairs of connections trade with each other.
 */
import { readFileSync } from "node:fs"
import type { WebSocket } from "ws"
import { Kind } from "./Flow.ts"
import { connect } from "./TraderPair.ts"
import { lotsPerFlowLot } from "./Load.ts"
import { commandWriter, idReader, type Key, mapped, statusOf } from "./LoadFrames.ts"

export interface FloodOptions {
  readonly url: string
  readonly keysFile: string
  readonly connections: number
  /** Number of connections that never read. They send `frozenShare` times as many commands as the others. */
  readonly frozen: number
  readonly seconds: number
  /** Commands per second over all connections. If 0, each connection keeps `window` commands in flight instead. */
  readonly rate: number
  readonly window: number
  /** True to send only orders at the market price, so that pairs of connections trade with each other. */
  readonly trades: boolean
  readonly tag: string
}

export interface FloodStarted {
  readonly event: "Started"
}

export interface FloodReport {
  readonly event: "Finished"
  readonly sentPerSecond: number
  readonly answeredPerSecond: number
  /** Latency of executed commands on the connections that read. */
  readonly p50Millis: number
  readonly p99Millis: number
  /** Number of responses by status or error code. */
  readonly answers: Readonly<Record<string, number>>
  readonly unanswered: number
  /** Number of commands that were not sent because the connection's buffer was full. */
  readonly heldBack: number
  readonly frozenClosed: number
  readonly closed: number
}

const options = JSON.parse(process.argv[2] ?? "{}") as FloodOptions
const frozenShare = 10
const turnMillis = 5
const maxBufferedBytes = 256 * 1024
/** Price in ticks, far below the market, of the buy orders; each has the size of one lot of the benchmark flow. */
const price = 65_100
const tradePrice = 65_536
const graceMillis = 3_000
const remembered = 1 << 22
const sentAt = [new Float64Array(remembered), new Float64Array(remembered)] as const
const write = commandWriter(mapped(lotsPerFlowLot), options.tag)
const idOf = idReader(options.tag)
const latencies: Array<number> = []
const answers: Record<string, number> = {}
let next = 1
let sent = 0
let answered = 0
let heldBack = 0
let frozenClosed = 0
let closed = 0
let over = false

interface Line {
  readonly socket: WebSocket
  readonly frozen: boolean
  /** Id of an order that is placed and not yet cancelled. */
  open: number
  /** Side of the next order, if the connection trades. */
  side: number
  inFlight: number
  /** Number of commands due to be sent, including a fraction. */
  due: number
}

const lines = await open()
process.send!({ event: "Started" } satisfies FloodStarted)
const startedAt = performance.now()
if (options.rate > 0) await paced()
else await windowed()
over = true
const seconds = (performance.now() - startedAt) / 1000
const answeredPerSecond = Math.round(answered / seconds)
await new Promise((resolve) => setTimeout(resolve, options.rate > 0 ? graceMillis : 200))
// Resumes the connections that never read: only then do they notice that the venue closed them.
for (const { frozen, socket } of lines) if (frozen) socket.resume()
if (options.frozen > 0) await new Promise((resolve) => setTimeout(resolve, 500))
latencies.sort((a, b) => a - b)
const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? NaN
const report: FloodReport = {
  event: "Finished",
  sentPerSecond: Math.round(sent / seconds),
  answeredPerSecond,
  p50Millis: at(0.5),
  p99Millis: at(0.99),
  answers,
  unanswered: lines.reduce((sum, line) => sum + (line.frozen ? 0 : line.inFlight), 0),
  heldBack,
  frozenClosed,
  closed
}
for (const { socket } of lines) socket.terminate()
process.send!(report, () => process.exit(0))

async function open(): Promise<ReadonlyArray<Line>> {
  const file = JSON.parse(readFileSync(options.keysFile, "utf8")) as {
    users: ReadonlyArray<{ name: string; public_key: string; secret_key: string }>
  }
  const keys = file.users
    .filter(({ name }) => name.startsWith("trader-"))
    .map((user): Key => ({ publicKey: user.public_key, secretKey: user.secret_key }))
  const made: Array<Line> = []
  while (made.length < options.connections) {
    const frozen = made.length < options.frozen
    const channels = frozen ? ["order_responses", "fills", "positions", "balances"] : ["order_responses"]
    const socket = await connect(options.url, keys[made.length]!, channels)
    // Each connection starts at a different phase, so that connections do not all send at the same instant. The two
    // connections of a trading pair share a phase.
    const turn = options.trades ? made.length - (made.length % 2) : made.length
    const line: Line = { socket, frozen, open: 0, side: made.length % 2, inFlight: 0, due: turn / options.connections }
    if (frozen) socket.pause()
    else socket.on("message", (data: Buffer) => read(line, data.toString("latin1")))
    socket.on("close", () => (frozen ? frozenClosed++ : closed++))
    made.push(line)
  }
  return made
}

function paced(): Promise<void> {
  const shares = lines.reduce((sum, { frozen }) => sum + (frozen ? frozenShare : 1), 0)
  let lastAt = performance.now()
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      for (const line of lines) {
        line.due += ((options.rate * (now - lastAt)) / 1000 / shares) * (line.frozen ? frozenShare : 1)
        for (; line.due >= 1; line.due--) send(line)
      }
      lastAt = now
      if (now - startedAt < options.seconds * 1000) return
      clearInterval(timer)
      resolve()
    }, turnMillis)
  })
}

function windowed(): Promise<void> {
  for (const line of lines) for (let i = 0; i < options.window; i++) send(line)
  return new Promise((resolve) => setTimeout(resolve, options.seconds * 1000))
}

function send(line: Line): void {
  if (line.socket.readyState !== line.socket.OPEN) return
  if (line.socket.bufferedAmount > maxBufferedBytes) {
    heldBack++
    return
  }
  const kind = options.trades || line.open === 0 ? Kind.add : Kind.cancel
  const id = kind === Kind.add ? next++ : line.open
  line.open = kind === Kind.add ? id : 0
  line.inFlight++
  sent++
  sentAt[kind][id % remembered] = performance.now()
  line.socket.send(options.trades ? write(kind, line.side, tradePrice, 1, id) : write(kind, 0, price, 1, id))
  if (options.trades) line.side = 1 - line.side
}

function read(line: Line, frame: string): void {
  let status = statusOf(frame)
  // Skips updates of an order after its first response.
  if (options.trades && (status === "FILLED" || status === "CANCELLED_STP")) return
  let id = idOf(frame)
  let kind: 0 | 1 = status === "CANCELLED" || status === "NO_SUCH_ORDER" ? Kind.cancel : Kind.add
  if (status === "") {
    if (!frame.startsWith(`{"err"`)) return
    const { error_code: code, incoming_message: message } = JSON.parse(frame).err
    status = code
    kind = message?.type === "cancel_order" ? Kind.cancel : Kind.add
    id = idOf(`"order_id":"${message?.params?.client_order_id ?? message?.params?.order_id}"`)
  } else if (!over) {
    latencies.push(performance.now() - sentAt[kind][id % remembered]!)
  }
  answers[status] = (answers[status] ?? 0) + 1
  line.inFlight--
  if (over) return
  answered++
  if (options.rate === 0) send(line)
}
