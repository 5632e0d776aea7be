/** In-memory webhook messages about deposits and withdrawals; on Postgres, triggers write the same messages. */
import { railOf } from "@venue/domain/Rail"
import { WebhookEvent, type WebhookMessage } from "@venue/domain/Webhook"
import { Schema } from "effect"
import type { Deposit } from "./DepositTable.ts"
import type { WithdrawalRow } from "./WithdrawalTable.ts"

const isEvent = Schema.is(WebhookEvent)
const eventOf = Schema.decodeUnknownSync(WebhookEvent)

export const ofWithdrawal = (row: WithdrawalRow, atMillis: number): WebhookMessage => {
  const { amount, createdAtMillis, destination, fee, method, reference, state, userId, withdrawalId } = row
  return {
    userId,
    event: eventOf(`withdrawal.${state.toLowerCase()}`),
    subjectId: withdrawalId,
    method,
    amount,
    fee,
    destination,
    txHash: railOf(method) === "BANK" ? null : reference,
    createdAtMillis,
    creditedAtMillis: null,
    atMillis
  }
}

/** Returns the message about a deposit, or undefined before the deposit is credited. */
export const ofDeposit = (row: Deposit, atMillis: number): WebhookMessage | undefined => {
  const { amount, creditedAtMillis, depositId, detectedAtMillis, method, rail, state, txHash, userId } = row
  const event = `deposit.${state.toLowerCase()}`
  if (userId === null || !isEvent(event)) return undefined
  return {
    userId,
    event,
    subjectId: depositId,
    method,
    amount,
    fee: null,
    destination: null,
    txHash: rail === "BANK" ? null : txHash,
    createdAtMillis: detectedAtMillis,
    creditedAtMillis,
    atMillis
  }
}
