/** Scans the chain's logs, in bounded ranges, for transfers to the venue's addresses. */
import { Array as Arr, Effect, Equal } from "effect"
import type { Arrival, RailUnavailable, Scan } from "../RailProvider.ts"
import { knownOr } from "../PayingAccount.ts"
import * as Bulk from "./Bulk.ts"
import * as Chain from "./Chain.ts"
import * as Cursor from "./Cursor.ts"
import type { RpcEndpoint } from "./RpcEndpoint.ts"
import { isTooMuch, RpcFault } from "./RpcFault.ts"
import { type ChainView, fail, namesAt, type RpcEndpoints, unavailable } from "./RpcEndpoints.ts"
import * as Token from "./Token.ts"

export interface ScanOptions {
  readonly endpoints: RpcEndpoints
  /** In lower case. */
  readonly token: string
  /** Blocks per log request, halved for an endpoint that refuses this number. */
  readonly blocksAtOnce: number
  /** First block to read for a new venue; undefined to start at the current head. */
  readonly firstBlock: number | undefined
  /** The paying account. Transfers from others to this account belong to the venue and are recorded as unmatched. */
  readonly hot: Effect.Effect<string, RailUnavailable>
}

export const scan = (options: ScanOptions) => {
  /** After a failure, the next scan reads less, so that a slow endpoint can finish. */
  let questions = maxQuestions
  return <E>(
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
      // Money that the paying account received before its first report belongs to the venue.
      const begun = hot === before.hot ? (before.begun ?? next) : next
      const all = hot === undefined ? addresses : [...addresses, hot]
      const groups = Arr.chunksOf(all, addressesAtOnce)
      const size = yield* sizeOf(view, options.blocksAtOnce)
      const parts = Math.max(1, Math.floor(questions / Math.max(1, Math.ceil(all.length / size.addresses))))
      const to = Math.min(view.head.number, next + size.blocks * parts - 1)
      // Block numbers and hashes are read before the logs, so that the next scan detects blocks that were replaced in
      // between.
      const [read, final] = yield* view.agreed((endpoint) => namesAt(endpoint, [to, Math.min(to, view.final.number)]))
      const ranges = Cursor.partsOf({ from: Cursor.from(next, begun), to }, options.blocksAtOnce)
      const found = yield* Effect.forEach(ranges, (range) =>
        Effect.forEach(groups, (group) => view.agreed((endpoint) => arrivalsOf(endpoint, options.token, range, group)))
      )
      const own = new Set(addresses)
      // Skips sweeps, whose amounts were recorded when the deposits arrived.
      const arrivals = found
        .flat(2)
        .flatMap(({ from, ...arrival }) => (arrival.to === hot && own.has(from) ? [] : arrival))
      const after = { read: read!, final: final!, begun, ...(hot === undefined ? {} : { hot }) }
      return { arrivals, returned: [], cursor: Cursor.encode(after) }
    }).pipe(
      Effect.tap(() => Effect.sync(() => void (questions = Math.min(maxQuestions, questions * 2)))),
      Effect.tapError(() => Effect.sync(() => void (questions = Math.max(1, Math.floor(questions / 2))))),
      Effect.withSpan("Arbitrum.scan")
    )
}

/** Returns the size that every endpoint is known to accept. */
const sizeOf = Effect.fnUntraced(function* (view: ChainView, blocksAtOnce: number) {
  const sizes = yield* view.each(({ limits, sizes }) =>
    Effect.all({ blocks: limits.blocks.size(blocksAtOnce), addresses: limits.addresses.size(sizes.addresses) })
  )
  const least = (of: "blocks" | "addresses") => Math.min(...sizes.map((size) => size[of]))
  return { blocks: least("blocks"), addresses: least("addresses") }
})

const startOf = Effect.fnUntraced(function* (options: ScanOptions, view: ChainView, text: string | null) {
  if (text === null) {
    const next = Math.min(options.firstBlock ?? view.head.number, view.head.number)
    const cursor: Cursor.Cursor = { read: view.head, final: view.final }
    return { next, cursor }
  }
  const cursor = yield* Effect.mapError(Cursor.decode(text), unavailable)
  // Either the chain is shorter or the endpoint lags behind the cursor. Both are temporary.
  if (cursor.read.number > view.head.number) return { next: undefined, cursor }
  const [read, final] = yield* view.agreed((endpoint) => namesAt(endpoint, [cursor.read.number, cursor.final.number]))
  const next = Cursor.next(cursor, { read: read!.hash, final: final!.hash })
  if (next !== undefined) return { next, cursor }
  const reason = `block ${cursor.final.number} was final but has been replaced`
  return yield* unavailable(new RpcFault({ endpoint: "all endpoints", reason, kind: "fault" }))
})

/** Returns the transfers to these addresses according to one endpoint, in chain order. */
const arrivalsOf = Effect.fnUntraced(function* (
  endpoint: RpcEndpoint,
  token: string,
  range: Cursor.Range,
  addresses: ReadonlyArray<string>
) {
  const logs = yield* logsOf(endpoint, token, addresses, range)
  const wanted = new Set(addresses)
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const receipts = yield* endpoint.ask(hashes.map((hash) => Chain.receipt(hash)))
  const receiptOf = new Map(receipts.map((receipt) => [receipt?.transactionHash, receipt]))
  const arrivals = yield* Effect.forEach(logs, (log) =>
    Effect.gen(function* () {
      const transfer = Token.transferOf(log)
      const isWanted = transfer !== undefined && wanted.has(transfer.to) && log.address === token
      if (!isWanted || log.blockNumber < range.from || log.blockNumber > range.to)
        return yield* fail(endpoint, "the endpoint returned logs that were not requested")
      const receipt = receiptOf.get(log.transactionHash)
      const logIndex =
        receipt?.logs.findIndex((other) => other.logIndex === log.logIndex && Equal.equals(other, log)) ?? -1
      if (logIndex === -1)
        return yield* fail(endpoint, "the logs that the endpoint returned differ from the logs in its receipts")
      const block = { number: log.blockNumber, hash: log.blockHash }
      return { txHash: log.transactionHash, logIndex, ...transfer, block, paymentRail: null } satisfies Arrival & {
        readonly from: string
      }
    })
  )
  return arrivals.filter(({ amount }) => amount > 0n)
})

/**
 * Endpoints limit blocks, addresses and logs, with different messages. A refused request is first halved by blocks,
 * and then by addresses if a single block is refused but the same block with one address is not.
 */
const logsOf = Effect.fnUntraced(function* (
  endpoint: RpcEndpoint,
  token: string,
  addresses: ReadonlyArray<string>,
  range: Cursor.Range
): Effect.fn.Return<ReadonlyArray<Chain.Log>, RpcFault> {
  const { limits, sizes } = endpoint
  const blocks = range.to - range.from + 1
  const ask = (some: ReadonlyArray<string>, from: number, to: number) =>
    Effect.map(endpoint.ask([Chain.logs({ address: token, topics: topicsTo(some), from, to })]), ([logs]) => logs)
  const askBlocks = (some: ReadonlyArray<string>) =>
    Bulk.inParts(limits.blocks, blocks, blocks, (start, size) =>
      ask(some, range.from + start, range.from + start + size - 1)
    )
  return yield* Bulk.inParts(limits.addresses, sizes.addresses, addresses.length, (start, size) => {
    const some = addresses.slice(start, start + size)
    return Effect.catchIf(askBlocks(some), isTooMuch, (fault) =>
      size === 1
        ? Effect.fail(fault)
        : Effect.andThen(
            // If one block with one address is refused too, the whole range fails, so that no request is spent on the
            // halves.
            Effect.mapError(ask(some.slice(0, 1), range.from, range.from), (alone) =>
              isTooMuch(alone) ? new RpcFault({ ...fault, kind: "fault" }) : alone
            ),
            Effect.fail(fault)
          )
    )
  })
})

const topicsTo = (addresses: ReadonlyArray<string>) => [Token.transferTopic, null, addresses.map(Token.topicOf)]

/** Maximum log requests per endpoint and scan, unless one range already needs more. */
const maxQuestions = 200
/** Number of addresses whose logs are compared between endpoints at a time. */
const addressesAtOnce = 500
