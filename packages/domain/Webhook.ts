/** Webhooks about a user's money: events, delivery attempts and their schedule, and reasons to disable an endpoint. */
import { Schema } from "effect"
import type { DepositMethod } from "./Rail.ts"
import type { UserId } from "./UserId.ts"

/** Events of deposits. */
export const DepositEvent = Schema.Literals(["deposit.credited", "deposit.reversed"])

/** Events of withdrawals. */
export const WithdrawalEvent = Schema.Literals([
  "withdrawal.accepted",
  "withdrawal.queued",
  "withdrawal.held_for_review",
  "withdrawal.submitted",
  "withdrawal.settled",
  "withdrawal.rejected",
  "withdrawal.failed"
])

/** Event of a message; the part after the dot is the new state. */
export const WebhookEvent = Schema.Literals([...DepositEvent.literals, ...WithdrawalEvent.literals])
export type WebhookEvent = typeof WebhookEvent.Type

/** Maximum number of endpoints of a user, including disabled ones. */
export const maxWebhooks = 5

/** A state change of one deposit or withdrawal. Amounts in 1e-6 USD, times in Unix milliseconds. */
export interface WebhookMessage {
  readonly userId: UserId
  readonly event: WebhookEvent
  /** Public id of the deposit or withdrawal. */
  readonly subjectId: string
  readonly method: DepositMethod
  readonly amount: bigint
  /** Fee and destination (address or masked bank account number) of a withdrawal; null for a deposit. */
  readonly fee: bigint | null
  readonly destination: string | null
  readonly txHash: string | null
  readonly createdAtMillis: number
  /** Time of the credit; null for a withdrawal. */
  readonly creditedAtMillis: number | null
  readonly atMillis: number
}

/** State of a delivery attempt: due or running, delivered, failed, or `DROPPED` because its endpoint was disabled. */
export const TryOutcome = Schema.Literals(["PENDING", "DELIVERED", "FAILED", "DROPPED"])
export type TryOutcome = typeof TryOutcome.Type

/** Response to a delivery attempt: the HTTP status, and a one-sentence reason if the attempt failed. */
export interface TryAnswer {
  readonly status: number | null
  readonly fault: string | null
}

/** Reason for disabling an endpoint: it responded with status 410, or every attempt has failed for three days. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Delays in milliseconds from the end of a failed attempt to the next one: about a day in total. */
const spacings = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 15 * hour]
/** Maximum number of delivery attempts of a message. */
export const maxTries = spacings.length + 1

/** Returns the delay in milliseconds after a failed attempt, ±10 %; undefined after the last. `chance` in [0, 1). */
export const spacingAfter = (attempt: number, chance: number): number | undefined => {
  const spacing = spacings[attempt - 1]
  return spacing === undefined ? undefined : Math.round(spacing * (0.9 + 0.2 * chance))
}

const disabledAfterMillis = 3 * 24 * hour

/**
 * Returns why a failed attempt disables its endpoint, or undefined. `failingForMillis` is the time since the last
 * success.
 */
export const disabledBy = (
  { status }: TryAnswer,
  isLast: boolean,
  failingForMillis: number
): DisabledReason | undefined => {
  if (status === 410) return "gone"
  return isLast && failingForMillis >= disabledAfterMillis ? "failing" : undefined
}

/** Retention time of messages and attempts, in milliseconds. */
export const webhooksKeptMillis = 30 * 24 * hour

/** Maximum length of a stored fault in characters; longer ones are truncated. */
export const maxFault = 200
