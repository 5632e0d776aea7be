/** Outcome of a withdrawal's attempts; only a final block is conclusive. */
import { Clock, Effect, Option, Redacted } from "effect"
import type { Outcome, Payment } from "../RailProvider.ts"
import * as Chain from "./Chain.ts"
import { usedAt } from "./Nonces.ts"
import type { RpcEndpoint } from "./RpcEndpoint.ts"
import { type ChainView, fail, type RpcEndpoints } from "./RpcEndpoints.ts"
import * as Transactions from "./Transactions.ts"

export interface OutcomeOptions {
  readonly endpoints: RpcEndpoints
  /** Time within which an attempt with sufficient fees is normally executed. */
  readonly overdueMillis: number
}

export const outcome = ({ endpoints, overdueMillis }: OutcomeOptions) =>
  Effect.fn("Arbitrum.outcome")(function* (payments: ReadonlyArray<Payment>) {
    const view = yield* endpoints.look
    const included = yield* view.agreed((endpoint) => inclusionOf(endpoint, payments))
    if (included !== null) {
      if (included.block > view.final.number) return pending
      const { purpose, reference } = payments.find((payment) => payment.reference === included.reference)!
      return finalOutcome(purpose, reference, included.isSuccess)
    }
    const last = payments.at(-1)
    const signed = last === undefined ? undefined : yield* Transactions.read(Redacted.value(last.bytes))
    if (last === undefined || signed === undefined) return pending
    // An earlier nonce must execute first, so a higher fee for this nonce would not help.
    const counts = yield* view.each((endpoint) => endpoint.ask([Chain.transactionCount(signed.from, "latest")]))
    if (counts.some(([count]) => count > signed.nonce)) {
      if (yield* isOver(view, payments)) return usedUp
      yield* Effect.logWarning(`Arbitrum One: a transaction unknown to the venue used nonce ${signed.nonce}`)
      // A missing receipt is conclusive only once the nonce is used up in a final block. Until then the receipt might
      // be late.
      if ((yield* usedAt(view, signed.from, view.final.number)) > signed.nonce)
        return { _tag: "Pending", obstacle: { _tag: "NonceUsed", nonce: signed.nonce } } as const
    }
    const isNext = counts.every(([count]) => count === signed.nonce)
    const now = yield* Clock.currentTimeMillis
    return isNext && now - last.signedAtMillis >= overdueMillis ? overdue : pending
  })

const pending: Outcome = { _tag: "Pending" }
const overdue: Outcome = { _tag: "Overdue" }
const usedUp: Outcome = {
  _tag: "Failed",
  reference: null,
  reason: { _tag: "CancelOvertaken" }
}

const finalOutcome = (purpose: Payment["purpose"], reference: string, isSuccess: boolean): Outcome => {
  if (purpose === "cancel") return { _tag: "Failed", reference, reason: { _tag: "PaymentCancelled" } }
  return isSuccess
    ? { _tag: "Settled", reference }
    : { _tag: "Failed", reference, reason: { _tag: "TransferRejected" } }
}

/**
 * "Not found" alone is not conclusive. Three conditions must hold: an operator has cancelled, the nonces of all
 * attempts were used up in blocks that were final before the query, and every configured endpoint reports that no
 * attempt is in the chain.
 */
const isOver = Effect.fnUntraced(function* (view: ChainView, payments: ReadonlyArray<Payment>) {
  if (payments.every(({ purpose }) => purpose === "pay")) return false
  for (const { bytes } of payments) {
    const signed = yield* Transactions.read(Redacted.value(bytes))
    if (signed === undefined || (yield* usedAt(view, signed.from, view.final.number)) <= signed.nonce) return false
  }
  const included = yield* view.unanimous((endpoint) => inclusionOf(endpoint, payments))
  return Option.isSome(included) && included.value === null
})

/** Returns the attempt that is in a block, according to one endpoint. */
export const inclusionOf = Effect.fnUntraced(function* (endpoint: RpcEndpoint, payments: ReadonlyArray<Payment>) {
  const receipts = yield* endpoint.ask(payments.map(({ reference }) => Chain.receipt(reference)))
  const receipt = receipts.find((each) => each !== null)
  if (receipt === undefined) return null
  const [block] = yield* endpoint.ask([Chain.block(receipt.blockNumber)])
  if (block?.hash !== receipt.blockHash)
    return yield* fail(endpoint, "the endpoint returned a receipt for a block that is not on the endpoint's chain")
  return {
    reference: receipt.transactionHash,
    isSuccess: receipt.status === 1,
    block: receipt.blockNumber,
    hash: receipt.blockHash
  }
})
