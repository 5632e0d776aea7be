/**
 * Traders who place an order away from the market and then cancel it, at an even rate below the rate limits, whether
 * or not earlier commands have responses. Runs as a child process, `OrderProbe.ts <place>`: for each requested number
 * of seconds it responds with an `OrderProbeReport`.
 */
import { Kind } from "./Flow.ts"
import { connect } from "./TraderPair.ts"
import { lotsPerFlowLot } from "./Load.ts"
import { commandWriter, idReader, type Key, mapped, statusOf } from "./LoadFrames.ts"

export interface OrderProbePlace {
  readonly url: string
  readonly keys: ReadonlyArray<Key>
}

export interface OrderProbeReport {
  readonly commands: number
  /** Latency from the time at which a command was due. A refused or unanswered command counts as the longest wait. */
  readonly p50Millis: number
  readonly p99Millis: number
  readonly worstMillis: number
  readonly unanswered: number
  /** Number of commands that were neither placed nor cancelled, by status or error code. */
  readonly refused: Readonly<Record<string, number>>
}

/** 160 commands per second for eight traders. Each trader's two rate-limit buckets allow 400 per second. */
const perTraderPerSecond = 20
const patienceMillis = 15_000
/** Price in ticks, far below the market, of the buy orders; each has the size of one lot of the benchmark flow. */
const price = 65_100
const { keys, url } = JSON.parse(process.argv[2] ?? "{}") as OrderProbePlace
const tag = "p-"
const write = commandWriter(mapped(lotsPerFlowLot), tag)
const idOf = idReader(tag)
/** Due time of each command without a response, by kind and id. */
const due = [new Map<number, number>(), new Map<number, number>()] as const
let took: Array<number> = []
let refused: Record<string, number> = {}
let nextId = 1

const traders = await Promise.all(keys.map((key) => connect(url, key, ["order_responses"])))
for (const trader of traders) {
  trader.on("message", (data: Buffer) => read(data.toString("latin1")))
  trader.on("close", (code: number) => {
    throw new Error(`a trader who keeps to the limits was cut off with ${code}`)
  })
}

function read(frame: string): void {
  let status = statusOf(frame)
  let id = idOf(frame)
  let kind: 0 | 1 = status === "CANCELLED" || status === "NO_SUCH_ORDER" ? Kind.cancel : Kind.add
  if (status === "") {
    if (!frame.startsWith(`{"err"`)) return
    const { error_code: code, incoming_message: message } = JSON.parse(frame).err
    status = code
    kind = message?.type === "cancel_order" ? Kind.cancel : Kind.add
    id = idOf(`"order_id":"${message?.params?.client_order_id ?? message?.params?.order_id}"`)
  }
  const dueAt = due[kind].get(id)
  if (dueAt === undefined) return
  due[kind].delete(id)
  const isDone = status === "ACK" || status === "CANCELLED"
  took.push(isDone ? performance.now() - dueAt : patienceMillis)
  if (!isDone) refused[status] = (refused[status] ?? 0) + 1
}

/** Every trader places an order in one turn and cancels it in the next. */
async function probe(seconds: number): Promise<OrderProbeReport> {
  took = []
  refused = {}
  const pairs = Math.max(1, Math.round((seconds * perTraderPerSecond) / 2))
  const commands = 2 * pairs * traders.length
  const everyMillis = (seconds * 1000) / commands
  const firstId = nextId
  nextId += pairs * traders.length
  const startedAt = performance.now()
  for (let sent = 0; sent < commands;) {
    for (; sent < commands && startedAt + sent * everyMillis <= performance.now(); sent++) {
      const turn = Math.floor(sent / traders.length)
      const kind = turn % 2 === 0 ? Kind.add : Kind.cancel
      const id = firstId + (turn >> 1) * traders.length + (sent % traders.length)
      due[kind].set(id, startedAt + sent * everyMillis)
      traders[sent % traders.length]!.send(write(kind, 0, price, 1, id))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const givenUpAt = performance.now() + patienceMillis
  while (took.length < commands && performance.now() < givenUpAt) await new Promise((resolve) => setTimeout(resolve, 5))
  const unanswered = commands - took.length
  for (const waiting of due) {
    for (const _ of waiting) took.push(patienceMillis)
    waiting.clear()
  }
  took.sort((a, b) => a - b)
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))]!
  return { commands, p50Millis: at(0.5), p99Millis: at(0.99), worstMillis: at(1), unanswered, refused }
}

process.on("message", (seconds) => void probe(Number(seconds)).then((report) => process.send!(report)))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
