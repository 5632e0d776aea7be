/**
 * Closed-loop load on a trade socket, run as a child process: `fork("LoadClient.ts", [JSON.stringify(options)])`. It
 * sends its parent `Started` when the book is filled, and later `Finished` with the figures, or `Failed`.
 */
import { readFileSync } from "node:fs"
import { Kind, readFlow, recordInts } from "./Flow.ts"
import { commandWriter, idReader, type Key, mapped } from "./LoadFrames.ts"
import { type Ledger, TraderPair } from "./TraderPair.ts"

export interface LoadOptions {
  readonly url: string
  readonly flowFile: string
  /**
   * File in the format of `dev.json`, whose `trader-…` users form the pairs. Null for a server without
   * authentication.
   */
  readonly keysFile: string | null
  /** Each pair is a maker and a taker on separate connections that share a limit of in-flight commands. */
  readonly connections: number
  readonly inFlight: number
  readonly seconds: number
  /** Prefix of this run's client order ids. It must not end in a digit. */
  readonly tag: string
  readonly lotsPerFlowLot: number
  /** True to cancel the makers' orders of an earlier run first, and those of this run at the end. */
  readonly clear: boolean
  /**
   * True to keep exact order in each pair and to sum the fills. Slow: it serves to check control totals with one
   * pair.
   */
  readonly totals: boolean
}

export interface LoadReport {
  readonly event: "Finished"
  /** Number of commands with a response within `seconds`. */
  readonly orders: number
  readonly seconds: number
  readonly ordersPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly p999Millis: number
  /** Number of cancels that arrived after their order was filled. */
  readonly missed: number
  /** Number of refusals by status or error code, including those during the prefill. */
  readonly refused: Readonly<Record<string, number>>
  /** Acknowledged orders, including the prefill. The sum is the sum of the orders' ids in the benchmark flow. */
  readonly accepted: CountedIds
  /** Cancels by client order id. The sum is the sum of the cancelled orders' ids in the benchmark flow. */
  readonly cancelled: CountedIds
  /** Number of commands without a response two seconds after the end. */
  readonly unanswered: number
  /** True if the whole benchmark flow was sent in time. */
  readonly exhausted: boolean
  /**
   * Totals in ticks and lots of the benchmark flow, if `totals` was requested and the whole flow was sent; otherwise
   * null.
   */
  readonly totals: { trades: number; volume: number; notional: number; resting: number } | null
}

export interface CountedIds {
  readonly count: number
  readonly sum: number
}

export type LoadMessage =
  | { readonly event: "Started" }
  | { readonly event: "Failed"; readonly reason: string }
  | LoadReport

/** In-flight limit for the prefill, higher because the prefill is not timed. */
const prefillWindow = 32
const openingAtOnce = 32
const options = JSON.parse(process.argv[2] ?? "{}") as LoadOptions
const flow = readFlow(options.flowFile)
const mapping = mapped(options.lotsPerFlowLot)
const totals = { trades: 0, volume: 0, notional: 0, resting: 0 }
const accepted = { count: 0, sum: 0 }
const cancelled = { count: 0, sum: 0 }
const refused: Record<string, number> = {}
const latencies = new Float64Array(flow.operations)
let measuring = false
let orders = 0
let missed = 0

const ledger: Ledger = {
  idOf: idReader(options.tag),
  write: commandWriter(mapping, options.tag),
  addedAt: new Float64Array(flow.prefill + flow.operations + 2),
  cancelledAt: new Float64Array(flow.prefill + flow.operations + 2),
  answered: (sentAt, kind, status, id) => {
    if (kind === "refused") refused[status] = (refused[status] ?? 0) + 1
    else if (kind === "done") count(status === "ACK" ? accepted : cancelled, id)
    if (!measuring) return
    latencies[orders++] = performance.now() - sentAt
    if (kind === "missed") missed++
  },
  filled: options.totals ? addUp : () => {},
  failed: (reason) => {
    tell({ event: "Failed", reason }, () => process.exit(1))
  }
}

await main().catch((cause: unknown) => ledger.failed(String(cause)))

async function main(): Promise<void> {
  const pairs = await openPairs()
  if (options.clear) await Promise.all(pairs.map((pair) => pair.clear()))
  const prefill = share(pairs.length, 0, flow.prefill)
  const timed = share(pairs.length, flow.prefill, flow.prefill + flow.operations)
  await Promise.all(pairs.map((pair, index) => pair.run(prefill[index]!, Math.max(options.inFlight, prefillWindow))))
  tell({ event: "Started" })

  const startedAt = performance.now()
  measuring = true
  const finished = Promise.all(pairs.map((pair, index) => pair.run(timed[index]!, options.inFlight)))
  const exhausted = await Promise.race([finished.then(() => true), after(options.seconds * 1000).then(() => false)])
  const seconds = (performance.now() - startedAt) / 1000
  measuring = false
  for (const pair of pairs) pair.stopped = true
  await Promise.race([finished, after(2_000)])
  // Waits for fills, which arrive after the acknowledgement of their order.
  if (options.totals) await after(500)

  const unanswered = pairs.reduce((sum, pair) => sum + pair.inFlight, 0)
  if (options.clear) await Promise.all(pairs.map((pair) => pair.clear()))
  for (const pair of pairs) pair.close()
  tell(report(seconds, exhausted, unanswered), () => process.exit(0))
}

async function openPairs(): Promise<ReadonlyArray<TraderPair>> {
  const keys = readKeys()
  const pairs: Array<TraderPair> = []
  while (pairs.length < options.connections) {
    const from = pairs.length
    const count = Math.min(openingAtOnce, options.connections - from)
    const opening = Array.from({ length: count }, (_, index) =>
      TraderPair.open(
        {
          url: options.url,
          maker: keys(2 * (from + index)),
          taker: keys(2 * (from + index) + 1),
          takerChannels: options.totals ? ["order_responses", "fills"] : ["order_responses"],
          ordered: options.totals
        },
        flow.records,
        ledger
      )
    )
    pairs.push(...(await Promise.all(opening)))
  }
  return pairs
}

function readKeys(): (index: number) => Key {
  if (options.keysFile === null) return (index) => ({ publicKey: `public-${index}`, secretKey: `secret-${index}` })
  const file = JSON.parse(readFileSync(options.keysFile, "utf8")) as {
    users: ReadonlyArray<{ name: string; public_key: string; secret_key: string }>
  }
  const traders = file.users.filter((user) => user.name.startsWith("trader-"))
  if (traders.length < 2 * options.connections) {
    throw new Error(`${2 * options.connections} users trader-… are needed, ${traders.length} are there`)
  }
  return (index) => ({ publicKey: traders[index]!.public_key, secretKey: traders[index]!.secret_key })
}

/**
 * Distributes the records from `from` to `to` over the pairs by order id, so that a cancel goes to its order's pair.
 */
function share(pairs: number, from: number, to: number): ReadonlyArray<Int32Array> {
  const shares = Array.from({ length: pairs }, (): Array<number> => [])
  for (let at = from * recordInts; at < to * recordInts; at += recordInts) {
    shares[flow.records[at + 4]! % pairs]!.push(at)
  }
  return shares.map((offsets) => Int32Array.from(offsets))
}

/**
 * Sums takers' fills, so that each trade counts once. The resting quantity is the acknowledged quantity minus fills and cancels.
 */
function addUp(frame: string, maker: boolean): void {
  const body = JSON.parse(frame)
  if (maker && body.order_response?.quantity_remaining === 0) totals.resting--
  if (maker || body.fill_response === undefined) return
  const lots = Math.round((body.fill_response.quantity * mapping.lotsPerUnit) / mapping.lotsPerFlowLot)
  totals.trades++
  totals.volume += lots
  totals.notional += lots * Math.round(body.fill_response.price * mapping.ticksPerUnit)
}

function report(seconds: number, exhausted: boolean, unanswered: number): LoadReport {
  const sorted = latencies.subarray(0, orders).sort()
  const at = (share: number): number => Math.round((sorted[Math.floor(orders * share)] ?? 0) * 1000) / 1000
  if (exhausted) totals.resting += restingChanges()
  return {
    event: "Finished",
    orders,
    seconds,
    ordersPerSecond: Math.round(orders / seconds),
    p50Millis: at(0.5),
    p99Millis: at(0.99),
    p999Millis: at(0.999),
    missed,
    refused,
    accepted,
    cancelled,
    unanswered,
    exhausted,
    totals: options.totals && exhausted ? totals : null
  }
}

/** Returns the number of adds minus the number of successful cancels in the whole benchmark flow. */
function restingChanges(): number {
  let change = 0
  for (let at = 0; at < flow.records.length; at += recordInts) {
    if (flow.records[at] === Kind.add) change++
    else if (flow.records[at] === Kind.cancel) change--
  }
  return change + missed
}

function count(ids: { count: number; sum: number }, id: number): void {
  ids.count++
  ids.sum += id
}

function tell(message: LoadMessage, told: () => void = () => {}): void {
  if (process.send === undefined) process.stdout.write(`${JSON.stringify(message)}\n`, told)
  else process.send(message, told)
}

function after(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis))
}
