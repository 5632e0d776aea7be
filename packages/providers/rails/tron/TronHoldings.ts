/**
 * The venue's holdings in final blocks. Nodes return one balance at a time while blocks become final, so the balances
 * of accounts with new transfers are read again until there are no new transfers.
 */
import { Effect, Option } from "effect"
import type { Holdings, HoldingsQuestion, Payment, RailUnavailable } from "../RailProvider.ts"
import * as TronAddress from "./TronAddress.ts"
import * as TronCursor from "./TronCursor.ts"
import { type TronNode, unavailable } from "./TronNode.ts"
import type { TronNodes } from "./TronNodes.ts"
import { isSuccess, transfersOf } from "./TronTransfers.ts"

export interface TronHoldingsOptions {
  readonly nodes: TronNodes
  readonly token: TronAddress.AddressHex
  readonly hot: Effect.Effect<TronAddress.AddressHex, RailUnavailable>
  /** Receives the paying account's balance in 1e-6 USD. */
  readonly paying?: (money: bigint) => void
}

/** Reads everything from one node. */
export const holdings = ({ hot, nodes, paying = () => {}, token }: TronHoldingsOptions) =>
  Effect.fn("Tron.holdings")(function* (
    question: HoldingsQuestion
  ): Effect.fn.Return<Option.Option<Holdings>, RailUnavailable> {
    const owner = yield* hot
    return yield* nodes.first((node) => readOf(node, token, owner, paying, question))
  })

const readOf = Effect.fnUntraced(function* (
  node: TronNode,
  token: TronAddress.AddressHex,
  hot: TronAddress.AddressHex,
  paying: (money: bigint) => void,
  { addresses, cursor, sent }: HoldingsQuestion
): Effect.fn.Return<Option.Option<Holdings>, RailUnavailable> {
  const noted = TronCursor.read(cursor)
  if (noted === undefined) return yield* unavailable("the stored cursor is invalid")
  const owners = new Set([hot, ...addresses.flatMap((address) => TronAddress.hexOf(address) ?? [])])
  const balances = new Map<TronAddress.AddressHex, bigint>()
  let block = (yield* node.solid).number
  for (let pending: ReadonlySet<TronAddress.AddressHex> = owners; pending.size > 0;) {
    yield* Effect.forEach(
      pending,
      (owner) => Effect.map(node.balanceOf(token, owner), (balance) => balances.set(owner, balance)),
      { concurrency: 8 }
    )
    const { number } = yield* node.solid
    // Arrivals and payments after the cursor are not recorded yet.
    if (noted.tip.number < number) return Option.none()
    pending = yield* movedIn(node, token, owners, block, number)
    block = number
  }
  const hasLeft = yield* Effect.forEach(sent, (payments) => hasLeftBy(node, payments, block), { concurrency: 4 })
  paying(balances.get(hot)!)
  const amount = [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
  return Option.some({ amount, position: `final block ${block}`, block, hasLeft })
})

const hasLeftBy = (node: TronNode, payments: ReadonlyArray<Payment>, block: number) =>
  Effect.map(
    Effect.forEach(
      payments.filter(({ purpose }) => purpose === "pay"),
      ({ reference }) => node.info(reference, "solid")
    ),
    (infos) => infos.some((info) => info !== undefined && isSuccess(info) && info.blockNumber <= block)
  )

/** Returns the venue's accounts that took part in a transfer in these blocks. */
const movedIn = Effect.fnUntraced(function* (
  node: TronNode,
  token: TronAddress.AddressHex,
  owners: ReadonlySet<TronAddress.AddressHex>,
  after: number,
  last: number
) {
  const moved = new Set<TronAddress.AddressHex>()
  for (let number = after + 1; number <= last; number++) {
    const infos = yield* node.infosOf(yield* node.block(number))
    for (const { from, to } of infos.flatMap((info) => transfersOf(info, token)))
      for (const owner of [from, to]) if (owners.has(owner)) moved.add(owner)
  }
  return moved
})
