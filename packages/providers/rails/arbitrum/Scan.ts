/** Reads the transfers to the venue's addresses out of the logs of the chain, in bounded ranges. */
import { Array as Arr, Effect, Equal } from "effect"
import type { Arrival, RailUnavailable, Scan } from "../RailProvider.ts"
import { knownOr } from "../PayingAccount.ts"
import * as Chain from "./Chain.ts"
import * as Cursor from "./Cursor.ts"
import { type RpcEndpoint, RpcFault } from "./RpcEndpoint.ts"
import { type ChainView, fail, namesAt, type RpcEndpoints, unavailable } from "./RpcEndpoints.ts"
import * as Token from "./Token.ts"

export interface ScanOptions {
  readonly endpoints: RpcEndpoints
  /** In lower case. */
  readonly token: string
  /** Blocks in one question; an endpoint that refuses so many is asked for half. */
  readonly blocksAtOnce: number
  /** A venue that has read nothing begins at this block, or at the head of now. */
  readonly firstBlock: number | undefined
  /** The account that pays: what others send to it is the venue's too, and nobody's yet. */
  readonly hot: Effect.Effect<string, RailUnavailable>
}

export const scan =
  (options: ScanOptions) =>
  <E>(
    cursor: string | null,
    watched: Effect.Effect<ReadonlyArray<string>, E>
  ): Effect.Effect<Scan, RailUnavailable | E> =>
    Effect.gen(function* () {
      const view = yield* options.endpoints.look
      const addresses = yield* watched
      const start = yield* startOf(options, view, cursor)
      const { cursor: before, next } = start
      if (next === undefined) return { arrivals: [], returned: [], cursor: Cursor.encode(before) }

      const hot = yield* knownOr(options.hot, before.hot)
      // What the account that pays had before it was known is the venue's own.
      const begun = hot === before.hot ? (before.begun ?? next) : next
      const groups = Arr.chunksOf(hot === undefined ? addresses : [...addresses, hot], addressesAtOnce)
      const parts = Math.max(1, Math.floor(maxQuestions / Math.max(1, groups.length)))
      const to = Math.min(view.head.number, next + options.blocksAtOnce * parts - 1)
      // Their names are known before the logs are read: what is replaced in between is noticed next time.
      const [read, final] = yield* view.agreed((endpoint) => namesAt(endpoint, [to, Math.min(to, view.final.number)]))
      const ranges = Cursor.partsOf({ from: Cursor.from(next, begun), to }, options.blocksAtOnce)
      const found = yield* Effect.forEach(ranges, (range) =>
        Effect.forEach(groups, (group) => view.agreed((endpoint) => arrivalsOf(endpoint, options.token, range, group)))
      )
      const own = new Set(addresses)
      // What is swept was noted when it came in.
      const arrivals = found
        .flat(2)
        .flatMap(({ from, ...arrival }) => (arrival.to === hot && own.has(from) ? [] : arrival))
      const after = { read: read!, final: final!, begun, ...(hot === undefined ? {} : { hot }) }
      return { arrivals, returned: [], cursor: Cursor.encode(after) }
    }).pipe(Effect.withSpan("Arbitrum.scan"))

const startOf = Effect.fnUntraced(function* (options: ScanOptions, view: ChainView, text: string | null) {
  if (text === null) {
    const next = Math.min(options.firstBlock ?? view.head.number, view.head.number)
    const cursor: Cursor.Cursor = { read: view.head, final: view.final }
    return { next, cursor }
  }
  const cursor = yield* Effect.mapError(Cursor.decode(text), unavailable)
  // It became shorter, or whoever answers is behind what was read: both pass.
  if (cursor.read.number > view.head.number) return { next: undefined, cursor }
  const [read, final] = yield* view.agreed((endpoint) => namesAt(endpoint, [cursor.read.number, cursor.final.number]))
  const next = Cursor.next(cursor, { read: read!.hash, final: final!.hash })
  if (next !== undefined) return { next, cursor }
  const reason = `block ${cursor.final.number} was final, and was replaced`
  return yield* unavailable(new RpcFault({ endpoint: "all endpoints", reason, isRefusal: false }))
})

/** What one endpoint says came to these addresses, and from whom, in the order of the chain. */
const arrivalsOf = Effect.fnUntraced(function* (
  endpoint: RpcEndpoint,
  token: string,
  range: Cursor.Range,
  addresses: ReadonlyArray<string>
) {
  const topics = [Token.transferTopic, null, addresses.map(Token.topicOf)]
  const logs = yield* logsOf(endpoint, token, topics, range)
  const wanted = new Set(addresses)
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const receipts = yield* endpoint.ask(hashes.map((hash) => Chain.receipt(hash)))
  const receiptOf = new Map(receipts.map((receipt) => [receipt?.transactionHash, receipt]))
  const arrivals = yield* Effect.forEach(logs, (log) =>
    Effect.gen(function* () {
      const transfer = Token.transferOf(log)
      const isWanted = transfer !== undefined && wanted.has(transfer.to) && log.address === token
      if (!isWanted || log.blockNumber < range.from || log.blockNumber > range.to)
        return yield* fail(endpoint, "it answers with logs that were not asked for")
      const receipt = receiptOf.get(log.transactionHash)
      const logIndex =
        receipt?.logs.findIndex((other) => other.logIndex === log.logIndex && Equal.equals(other, log)) ?? -1
      if (logIndex === -1) return yield* fail(endpoint, "its logs are not those of its receipts")
      const block = { number: log.blockNumber, hash: log.blockHash }
      return { txHash: log.transactionHash, logIndex, ...transfer, block, paymentRail: null } satisfies Arrival & {
        readonly from: string
      }
    })
  )
  return arrivals.filter(({ amount }) => amount > 0n)
})

/** Endpoints bound how many blocks or logs they answer for, each in its own words. */
const logsOf = (
  endpoint: RpcEndpoint,
  token: string,
  topics: ReadonlyArray<string | null | ReadonlyArray<string>>,
  { from, to }: Cursor.Range
): Effect.Effect<ReadonlyArray<Chain.Log>, RpcFault> =>
  endpoint.ask([Chain.logs({ address: token, topics, from, to })]).pipe(
    Effect.map(([logs]) => logs),
    Effect.catch((fault) => {
      if (!(fault.isRefusal || fault.isTooLarge === true) || from === to) return Effect.fail(fault)
      const middle = Math.floor((from + to) / 2)
      const halves = [
        { from, to: middle },
        { from: middle + 1, to }
      ]
      return Effect.map(
        Effect.forEach(halves, (half) => logsOf(endpoint, token, topics, half)),
        (parts) => parts.flat()
      )
    })
  )

/** Endpoints take so many addresses in one filter. */
const addressesAtOnce = 500
/** One scan asks each endpoint for logs so often at most, unless one range already needs more. */
const maxQuestions = 200
