/** Rail for TRON: USDT deposits to addresses from an extended public key, payments from one hot account. */
import { Effect } from "effect"
import * as FinalityWatch from "../FinalityWatch.ts"
import type { Arrival, ArrivalState, RailProvider, RailUnavailable } from "../RailProvider.ts"
import type { RailSight } from "../RailSight.ts"
import * as TronAddress from "./TronAddress.ts"
import * as TronCursor from "./TronCursor.ts"
import { type Block, type TronNode, unavailable } from "./TronNode.ts"
import { holdings } from "./TronHoldings.ts"
import { outcome } from "./TronOutcome.ts"
import * as TronPayments from "./TronPayments.ts"
import { scan } from "./TronScan.ts"
import { transfersOf } from "./TronTransfers.ts"

export interface TronOptions extends Omit<TronPayments.TronPaymentOptions, "outcome"> {
  readonly addressAt: (index: number) => string
}

export const make = (options: TronOptions): RailProvider => {
  const outcomeOf = outcome(options)
  const finality = FinalityWatch.make(mostFinalityMillis)
  const scanned = scan({ ...options, finality })
  let seen: Pick<RailSight, "hotMoney" | "readBlock"> = { readBlock: undefined, hotMoney: undefined }
  return {
    rail: "TRON",
    addressAt: options.addressAt,
    tokenContract: TronAddress.ofHex(options.token),
    scan: (cursor, watched) =>
      Effect.tap(scanned(cursor, watched), (result) =>
        Effect.sync(() => {
          seen = { ...seen, readBlock: TronCursor.read(result.cursor)?.tip.number }
        })
      ),
    sight: () => ({ ...options.nodes.sight(), newestBlock: finality.newest(), ...seen, hotGas: undefined }),
    stalled: finality.stalled,
    arrivalStates: Effect.fn("Tron.arrivalStates")((arrivals: ReadonlyArray<Arrival>) =>
      Effect.forEach(arrivals, (arrival) => stateOf(options, arrival), { concurrency: 4 })
    ),
    // TRON has no nonces, so the venue's own numbers are used.
    nextSequence: ({ next }) => Effect.succeed(next),
    isOrdered: false,
    payingAccountIn: (cursor) => {
      const hot = TronCursor.read(cursor)?.hot
      return hot === undefined ? undefined : TronAddress.ofHex(hot)
    },
    check: TronPayments.check(options),
    sign: TronPayments.sign({ ...options, outcome: outcomeOf }),
    send: TronPayments.send(options),
    outcome: outcomeOf,
    holdings: holdings({
      ...options,
      paying: (money) => {
        seen = { ...seen, hotMoney: money }
      }
    })
  }
}

/** A block is final after about 19 further blocks, within a minute. */
const mostFinalityMillis = 10 * 60_000

/** Returns a state on which all responding nodes agree. A lagging node delays the agreement. */
const stateOf = Effect.fnUntraced(function* (
  options: TronOptions,
  arrival: Arrival
): Effect.fn.Return<ArrivalState, RailUnavailable> {
  const seen = yield* options.nodes.answering((node) => seenBy(node, options.token, arrival))
  const present = seen.filter((state) => state !== undefined)
  if (present.length === 0) return { _tag: "Gone" }
  const blocks = new Set(present.map(({ block }) => block.id))
  if (blocks.size > 1 || present.length < seen.length)
    return yield* unavailable(`the nodes disagree about transaction ${arrival.txHash}`)
  return {
    _tag: "Present",
    confirmations: Math.min(...present.map(({ confirmations }) => confirmations)),
    isFinal: present.every(({ isFinal }) => isFinal)
  }
})

interface Seen {
  readonly block: Block
  readonly confirmations: number
  readonly isFinal: boolean
}

const seenBy = Effect.fnUntraced(function* (
  node: TronNode,
  token: TronAddress.AddressHex,
  { amount, logIndex, to, txHash }: Arrival
): Effect.fn.Return<Seen | undefined, RailUnavailable> {
  const info = yield* node.info(txHash, "included")
  const transfer =
    info === undefined ? undefined : transfersOf(info, token).find((transfer) => transfer.logIndex === logIndex)
  if (info === undefined || transfer?.amount !== amount || transfer.to !== TronAddress.hexOf(to)) return undefined
  const [block, head, final] = yield* Effect.all([node.block(info.blockNumber), node.head, node.info(txHash, "solid")])
  return {
    block,
    confirmations: Math.max(0, head.number - block.number + 1),
    isFinal: final?.blockNumber === block.number
  }
})
