/** Scan for arrivals, block by block from the cursor to the head. Replaced blocks are read again. */
import { Effect, Result } from "effect"
import type { FinalityWatch } from "../FinalityWatch.ts"
import { knownOr } from "../PayingAccount.ts"
import type { Arrival, RailUnavailable, Scan } from "../RailProvider.ts"
import * as TronAddress from "./TronAddress.ts"
import * as TronCursor from "./TronCursor.ts"
import { type Block, type TransactionInfo, type TronNode, unavailable } from "./TronNode.ts"
import { headOf, type TronNodes } from "./TronNodes.ts"
import { transfersOf } from "./TronTransfers.ts"

export interface TronScanOptions {
  readonly nodes: TronNodes
  readonly token: TronAddress.AddressHex
  /** The paying account. Transfers from others to this account belong to the venue and are recorded as unmatched. */
  readonly hot: Effect.Effect<TronAddress.AddressHex, RailUnavailable>
  readonly finality: FinalityWatch
}

/** Reads a whole scan from one node. */
export const scan =
  ({ finality, hot, nodes, token }: TronScanOptions) =>
  <E>(
    cursor: string | null,
    watched: Effect.Effect<ReadonlyArray<string>, E>
  ): Effect.Effect<Scan, RailUnavailable | E> =>
    nodes.first((node) => scanOf(node, { finality, token }, hot, cursor, watched)).pipe(Effect.withSpan("Tron.scan"))

const scanOf = Effect.fnUntraced(function* <E>(
  node: TronNode,
  { finality, token }: Pick<TronScanOptions, "finality" | "token">,
  paying: Effect.Effect<TronAddress.AddressHex, RailUnavailable>,
  cursor: string | null,
  watched: Effect.Effect<ReadonlyArray<string>, E>
): Effect.fn.Return<Scan, RailUnavailable | E> {
  const head = yield* headOf(node)
  const addresses = new Map((yield* watched).map((address) => [TronAddress.hexOf(address), address]))
  const solid = yield* node.solid
  yield* finality.saw(head.number, solid.number)
  const from = cursor === null ? { tip: head, solid, hot: undefined } : TronCursor.read(cursor)
  if (from === undefined) return yield* unavailable("the stored cursor is invalid")
  // The node lags behind the cursor, so it has nothing new.
  if (head.number < from.tip.number) return { arrivals: [], returned: [], cursor: TronCursor.write(from) }
  const hot = yield* knownOr(paying, from.hot)
  const start = yield* startOf(node, head, from)
  const read = yield* readOn(node, head, start)

  const arrivals: Array<Arrival> = []
  for (const { block, infos } of read) {
    for (const transfer of infos.flatMap((info) => transfersOf(info, token))) {
      // Skips sweeps, whose amounts were recorded when the deposits arrived.
      const isPaying = transfer.to === hot && !addresses.has(transfer.from)
      const to = isPaying ? TronAddress.ofHex(transfer.to) : addresses.get(transfer.to)
      const { amount, logIndex, txHash } = transfer
      if (to === undefined || amount === 0n) continue
      arrivals.push({
        txHash,
        logIndex,
        to,
        amount,
        block: { number: block.number, hash: block.id },
        paymentRail: null
      })
    }
  }
  const tip = read.at(-1)?.block ?? start
  return {
    arrivals,
    returned: [],
    cursor: TronCursor.write({ tip, solid: yield* solidOf(node, solid, from, tip), hot })
  }
})

/** Returns the start of a scan: the cursor's last block, or after a reorganisation its last final block. */
const startOf = Effect.fnUntraced(function* (
  node: TronNode,
  head: Block,
  { solid, tip }: TronCursor.TronCursor
): Effect.fn.Return<TronCursor.BlockId, RailUnavailable> {
  if (head.id === tip.id) return tip
  if ((yield* node.block(tip.number)).id === tip.id) return tip
  if ((yield* node.block(solid.number)).id === solid.id) return solid
  return yield* unavailable(`block ${solid.number} was final but has been replaced; this node is on another chain`)
})

/**
 * Reads at most `maxBlocks`. Stops early if the node fails, or if a block does not follow the previous one, which
 * happens during a reorganisation. The blocks already read count, so a node that refuses many requests is read over
 * several scans.
 */
const readOn = Effect.fnUntraced(function* (node: TronNode, head: Block, start: TronCursor.BlockId) {
  const read: Array<ReadBlock> = []
  let last = start
  while (last.number < head.number && read.length < maxBlocks) {
    const next = yield* Effect.result(readBlock(node, last))
    if (Result.isFailure(next) && read.length === 0) return yield* next.failure
    if (Result.isFailure(next) || next.success === undefined) break
    read.push(next.success)
    last = next.success.block
  }
  return read
})

interface ReadBlock {
  readonly block: Block
  readonly infos: ReadonlyArray<TransactionInfo>
}

/** Returns undefined if the next block does not follow the last block. */
const readBlock = Effect.fnUntraced(function* (
  node: TronNode,
  last: TronCursor.BlockId
): Effect.fn.Return<ReadBlock | undefined, RailUnavailable> {
  const block = yield* node.block(last.number + 1)
  if (block.parentId !== last.id) return undefined
  return { block, infos: yield* node.infosOf(block) }
})

/** Final blocks stay final, so an older final block is used if the node fails. */
const orElseKnown = (
  solid: Effect.Effect<TronCursor.BlockId, RailUnavailable>,
  _node: TronNode,
  _solid: Block,
  from: TronCursor.TronCursor
) => Effect.orElseSucceed(solid, () => from.solid)

/** Returns the newest final block that the scans have read. */
const solidOf = Effect.fnUntraced(function* (
  node: TronNode,
  solid: Block,
  from: TronCursor.TronCursor,
  tip: TronCursor.BlockId
) {
  const number = Math.min(solid.number, tip.number)
  if (number <= from.solid.number) return from.solid
  return number === tip.number ? tip : yield* node.block(number)
}, orElseKnown)

/** Five minutes of blocks. */
const maxBlocks = 100
