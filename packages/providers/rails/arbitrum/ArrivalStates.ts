/** States of known arrivals: the number of confirmations, or that the arrival is gone. */
import { Effect } from "effect"
import type { Arrival, ArrivalState } from "../RailProvider.ts"
import * as Chain from "./Chain.ts"
import type { RpcEndpoint } from "./RpcEndpoint.ts"
import type { RpcFault } from "./RpcFault.ts"
import { fail, type RpcEndpoints } from "./RpcEndpoints.ts"
import * as Token from "./Token.ts"

export const arrivalStates = (options: { readonly endpoints: RpcEndpoints; readonly token: string }) =>
  Effect.fn("Arbitrum.arrivalStates")(function* (arrivals: ReadonlyArray<Arrival>) {
    if (arrivals.length === 0) return []
    const view = yield* options.endpoints.look
    const blocks = yield* view.agreed((endpoint) => blocksOf(endpoint, options.token, arrivals))
    return blocks.map((block): ArrivalState => {
      if (block === null) return { _tag: "Gone" }
      const confirmations = Math.max(0, view.head.number - block.number + 1)
      return { _tag: "Present", confirmations, isFinal: block.number <= view.final.number }
    })
  })

/** Returns the arrivals' blocks according to one endpoint, or null for each arrival that is gone. */
const blocksOf = Effect.fnUntraced(function* (endpoint: RpcEndpoint, token: string, arrivals: ReadonlyArray<Arrival>) {
  const receipts = yield* endpoint.ask(arrivals.map(({ txHash }) => Chain.receipt(txHash)))
  const blocks = yield* endpoint.ask(arrivals.map(({ block }) => Chain.block(block?.number ?? 0)))
  return yield* Effect.forEach(arrivals, (arrival, index) =>
    blockOf(endpoint, token, arrival, receipts[index]!, blocks[index]!)
  )
})

/**
 * An arrival is gone only if another block has replaced the arrival's block. An endpoint might lag, so a missing
 * arrival alone is not conclusive.
 */
const blockOf = (
  endpoint: RpcEndpoint,
  token: string,
  arrival: Arrival,
  receipt: Chain.Receipt | null,
  block: Chain.Block | null
): Effect.Effect<Chain.BlockName | null, RpcFault> => {
  if (receipt !== null && isIn(receipt, token, arrival))
    return receipt.blockNumber === block?.number && receipt.blockHash !== block.hash
      ? fail(
          endpoint,
          `the endpoint's hash of block ${block.number} differs from the block hash in the transaction's receipt`
        )
      : Effect.succeed({ number: receipt.blockNumber, hash: receipt.blockHash })
  if (block === null)
    return fail(endpoint, `the endpoint does not have block ${arrival.block?.number}, which was read earlier`)
  return block.hash === arrival.block?.hash
    ? fail(endpoint, `the endpoint has the block of transaction ${arrival.txHash}, but not the transaction`)
    : Effect.succeed(null)
}

const isIn = ({ logs, status }: Chain.Receipt, token: string, { amount, logIndex, to }: Arrival): boolean => {
  const log = logs[logIndex]
  if (status !== 1 || log?.address !== token) return false
  const transfer = Token.transferOf(log)
  return transfer?.to === to && transfer.amount === amount
}
