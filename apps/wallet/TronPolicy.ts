/**
 * When a payment on TRON may be signed. Nothing there uses a withdrawal up, so that time has to tell whether an earlier
 * transaction can still come: by this machine's clock and by the final block that the venue names, and with room to spare.
 */
import type { TronPayment } from "@venue/providers/rails/SigningOrder"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"

export interface TronLimits {
  /** The account that pays. */
  readonly hot: string
  readonly token: string
  /** In 1e-6 TRX, of one transaction. */
  readonly maxFee: number
}

/** The last transaction that was allowed for a withdrawal. */
export interface TronAttempt {
  readonly destination: string
  readonly amount: bigint
  readonly expirationMillis: number
  readonly transaction: string
}

/** "again" is one that was allowed before, to the byte. */
export type TronDecision = "again" | "new" | { readonly refused: string }

export const decide = (
  limits: TronLimits,
  last: TronAttempt | undefined,
  order: TronPayment,
  nowMillis: number
): TronDecision => {
  if (order.token !== limits.token) return { refused: `it is about another token than ${limits.token}` }
  if (order.feeLimit > limits.maxFee)
    return { refused: `it lets ${order.feeLimit} be burnt, and at most ${limits.maxFee} are, in 1e-6 TRX` }
  if (last?.transaction === transactionOf(limits, order)) return "again"
  if (order.expirationMillis > nowMillis + longestMillis)
    return { refused: "it could come for more than half an hour by the clock of this machine" }
  if (order.solidMillis > nowMillis + clockMillis)
    return { refused: "the final block that it names is ahead of the clock of this machine" }
  if (last === undefined) return "new"
  if (last.destination !== order.destination || last.amount !== order.amount)
    return { refused: "the withdrawal was signed already, with another destination or amount" }
  const isPast = order.solidMillis >= last.expirationMillis && nowMillis >= last.expirationMillis + marginMillis
  return isPast ? "new" : { refused: "the transaction before it may still come" }
}

export const transactionOf = ({ hot }: TronLimits, order: TronPayment): string =>
  TronTransaction.idOf(TronTransaction.ordered(order, hot))

const longestMillis = 30 * 60_000
const clockMillis = 2 * 60_000
/** As long as the rail waits itself. */
const marginMillis = 5 * 60_000
