/** Users are told of their money at addresses of their own: of what, how often it is tried, and when it is given up. */
import { Schema } from "effect"
import type { DepositMethod } from "./Rail.ts"
import type { UserId } from "./UserId.ts"

export const DepositEvent = Schema.Literals(["deposit.credited", "deposit.reversed"])

export const WithdrawalEvent = Schema.Literals([
  "withdrawal.accepted",
  "withdrawal.queued",
  "withdrawal.held_for_review",
  "withdrawal.submitted",
  "withdrawal.settled",
  "withdrawal.rejected",
  "withdrawal.failed"
])

/** The second part is the new state. */
export const WebhookEvent = Schema.Literals([...DepositEvent.literals, ...WithdrawalEvent.literals])
export type WebhookEvent = typeof WebhookEvent.Type

/** A user may have so many endpoints, those that are disabled among them. */
export const maxWebhooks = 5

/** What has become of one deposit or withdrawal. */
export interface WebhookMessage {
  readonly userId: UserId
  readonly event: WebhookEvent
  /** The deposit or the withdrawal is known to its user by it. */
  readonly subjectId: string
  readonly method: DepositMethod
  /** In 1e-6 USD, as the fee is. */
  readonly amount: bigint
  /** Only withdrawals have one, and a destination: an address as it is written, or a bank account's number, masked. */
  readonly fee: bigint | null
  readonly destination: string | null
  readonly txHash: string | null
  readonly createdAtMillis: number
  /** Only deposits have one. */
  readonly creditedAtMillis: number | null
  readonly atMillis: number
}

/** A try is due, or under way; or it ended so. `DROPPED`: its endpoint was disabled before. */
export const TryOutcome = Schema.Literals(["PENDING", "DELIVERED", "FAILED", "DROPPED"])
export type TryOutcome = typeof TryOutcome.Type

/** What a try was answered with; `fault` says in one sentence why it failed, and is null when it did not. */
export interface TryAnswer {
  readonly status: number | null
  readonly fault: string | null
}

/** The endpoint answered that it is gone for good, or has taken nothing for long. */
export const DisabledReason = Schema.Literals(["gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** From the end of a try to the next one: a day in all. */
const spacings = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 15 * hour]
export const maxTries = spacings.length + 1

/** How long after a failed try the next one is due, or undefined after the last. `chance` is from 0 to below 1. */
export const spacingAfter = (attempt: number, chance: number): number | undefined => {
  const spacing = spacings[attempt - 1]
  return spacing === undefined ? undefined : Math.round(spacing * (0.9 + 0.2 * chance))
}

const disabledAfterMillis = 3 * 24 * hour

/** Whether an endpoint is disabled by a try that failed; `failingForMillis` is the time without any that did not. */
export const disabledBy = (
  { status }: TryAnswer,
  isLast: boolean,
  failingForMillis: number
): DisabledReason | undefined => {
  if (status === 410) return "gone"
  return isLast && failingForMillis >= disabledAfterMillis ? "failing" : undefined
}

/** Messages and tries are known for so long. */
export const webhooksKeptMillis = 30 * 24 * hour

/** A fault is cut to so many characters. */
export const maxFault = 200
