/**
 * Signing policy for TRON. A TRON payment uses up no nonce, so time decides whether an earlier transaction can still
 * be executed. The decision uses this machine's clock and the final block in the order, with a margin.
 */
import type { TronPayment } from "@venue/providers/rails/SigningOrder"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"

export interface TronLimits {
  /** Hot account, which pays. */
  readonly hot: string
  readonly token: string
  /** Maximum fee of one transaction, in 1e-6 TRX. */
  readonly maxFee: number
}

/** Last transaction that was allowed for a withdrawal. */
export interface TronAttempt {
  readonly destination: string
  readonly amount: bigint
  readonly expirationMillis: number
  readonly transaction: string
}

/** `again`: exactly the transaction that was allowed before. */
export type TronDecision = "again" | "new" | { readonly refused: string }

export const decide = (
  limits: TronLimits,
  last: TronAttempt | undefined,
  order: TronPayment,
  nowMillis: number
): TronDecision => {
  if (order.token !== limits.token)
    return { refused: `the signing order is for token ${order.token}; this wallet signs for token ${limits.token}` }
  if (order.feeLimit > limits.maxFee)
    return {
      refused: `the fee limit in the signing order is ${order.feeLimit}; the maximum is ${limits.maxFee} (in 1e-6 TRX)`
    }
  if (last?.transaction === transactionOf(limits, order)) return "again"
  if (order.expirationMillis > nowMillis + longestMillis)
    return { refused: "the transaction expires more than 30 min from now by this machine's clock" }
  if (order.solidMillis > nowMillis + clockMillis)
    return {
      refused: "the time of the final block in the signing order is more than 2 min ahead of this machine's clock"
    }
  if (last === undefined) return "new"
  if (last.destination !== order.destination || last.amount !== order.amount)
    return { refused: "the withdrawal was already signed, with another destination or amount" }
  const isPast = order.solidMillis >= last.expirationMillis && nowMillis >= last.expirationMillis + marginMillis
  return isPast ? "new" : { refused: "an earlier transaction of the withdrawal might still be executed" }
}

export const transactionOf = ({ hot }: TronLimits, order: TronPayment): string =>
  TronTransaction.idOf(TronTransaction.ordered(order, hot))

const longestMillis = 30 * 60_000
const clockMillis = 2 * 60_000
/** Margin after the expiration, equal to the rail's margin. */
const marginMillis = 5 * 60_000
