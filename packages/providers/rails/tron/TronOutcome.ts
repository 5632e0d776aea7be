/**
 * Outcome of a withdrawal's attempts on TRON. TRON has no nonces: an attempt is over when it is in a final block, or
 * when a final block is later than the attempt's expiry and no node has the attempt.
 */
import type { PaymentFailure } from "@venue/domain/TreasuryReason"
import { Effect } from "effect"
import type { Outcome, Payment, RailUnavailable } from "../RailProvider.ts"
import type * as TronAddress from "./TronAddress.ts"
import { type TransactionInfo, type TronNode, unavailable } from "./TronNode.ts"
import type { TronNodes } from "./TronNodes.ts"
import { isSuccess, transfersOf } from "./TronTransfers.ts"

export interface TronOutcomeOptions {
  readonly nodes: TronNodes
  readonly token: TronAddress.AddressHex
}

export const outcome = ({ nodes, token }: TronOutcomeOptions) =>
  Effect.fn("Tron.outcome")(function* (payments: ReadonlyArray<Payment>): Effect.fn.Return<Outcome, RailUnavailable> {
    const attempts = payments.filter(({ purpose }) => purpose === "pay")
    const final: Array<TransactionInfo> = []
    const open: Array<Payment> = []
    for (const attempt of attempts) {
      const info = yield* finalInfo(nodes, attempt)
      if (info === undefined) open.push(attempt)
      else final.push(info)
    }
    const carriedOut = final.find(isSuccess)
    if (carriedOut !== undefined) {
      if (transfersOf(carriedOut, token).length > 0) return { _tag: "Settled", reference: carriedOut.id }
      // The transaction reported success without a transfer. The outcome stays unknown, so nothing is refunded.
      return yield* unavailable(`transaction ${carriedOut.id} was executed without a transfer`)
    }
    for (const attempt of open) {
      // A node that does not respond might have the transaction.
      const gone = yield* nodes.all((node) => isGone(node, attempt))
      if (!gone.every(Boolean)) return pending
    }
    // All attempts are over, and no attempt has paid.
    const failed = final.at(-1)
    if (failed !== undefined) return { _tag: "Failed", reference: failed.id, reason: failureOf(failed) }
    if (payments.some(({ purpose }) => purpose === "cancel"))
      return { _tag: "Failed", reference: null, reason: { _tag: "PaymentCancelled" } }
    return attempts.length === 0 ? pending : overdue
  })

const pending: Outcome = { _tag: "Pending" }
const overdue: Outcome = { _tag: "Overdue" }

const finalInfo = Effect.fnUntraced(function* (
  nodes: TronNodes,
  { reference }: Payment
): Effect.fn.Return<TransactionInfo | undefined, RailUnavailable> {
  const infos = (yield* nodes.answering((node) => node.info(reference, "solid"))).filter((info) => info !== undefined)
  if (new Set(infos.map((info) => `${info.blockNumber} ${isSuccess(info)}`)).size > 1)
    return yield* unavailable(`the nodes disagree about transaction ${reference}`)
  return infos[0]
})

/**
 * The time is read before the transaction, so that the response is at least as recent. The margin allows for a
 * lagging server that shares the node's URL with other servers.
 */
const isGone = Effect.fnUntraced(function* (node: TronNode, { expiresAtMillis, reference }: Payment) {
  const { timestampMillis } = yield* node.solid
  if (expiresAtMillis === null || timestampMillis < expiresAtMillis + marginMillis) return false
  const solid = yield* node.info(reference, "solid")
  const included = yield* node.info(reference, "included")
  return solid === undefined && included === undefined
})

export const marginMillis = 5 * 60_000

/** Returns the failure with the chain's result code, such as OUT_OF_ENERGY or REVERT. */
const failureOf = ({ receipt, result }: TransactionInfo): PaymentFailure => {
  const code = receipt?.result ?? result ?? ""
  return { _tag: "TransactionFailed", code: /^[A-Z_]{1,40}$/.test(code) ? code : null }
}
