/** Operator webhooks: the limits and the schedule of their messages. */

/** Maximum number of operator webhooks of a venue. */
export const maxAlarmWebhooks = 10

/** Maximum number of messages that wait for one webhook; the oldest are dropped. */
export const maxWaiting = 1_000

const second = 1_000
const minute = 60 * second

/** Delays in milliseconds from a failed attempt to the next one; the last delay repeats. */
const retryAfterMillis = [10 * second, 30 * second, minute, 5 * minute, 15 * minute]

/** Age in milliseconds after which a message is no longer attempted. */
const keptMillis = 24 * 60 * minute

/** A message about an alarm to one webhook. Times in Unix milliseconds. */
export interface AlarmMessage {
  /** Equal in all attempts and for all webhooks. */
  readonly messageId: string
  readonly webhookId: string
  /** JSON text, as it is signed and sent. */
  readonly body: string
  readonly atMillis: number
  /** Number of failed attempts. */
  readonly attempts: number
  readonly dueAtMillis: number
}

/** Returns a message after a failed attempt, or undefined after the last one. */
export const afterFailure = (message: AlarmMessage, nowMillis: number): AlarmMessage | undefined => {
  const attempts = message.attempts + 1
  const dueAtMillis = nowMillis + retryAfterMillis[Math.min(attempts, retryAfterMillis.length) - 1]!
  return dueAtMillis - message.atMillis > keptMillis ? undefined : { ...message, attempts, dueAtMillis }
}
