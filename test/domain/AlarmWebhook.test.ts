/** Tests of the attempts to deliver a message about an alarm. */
import { afterFailure, type AlarmMessage } from "@venue/domain/AlarmWebhook"
import { expect, it } from "vitest"

it("repeats a failed message with growing delays for a day, and then gives it up", () => {
  let message: AlarmMessage | undefined = {
    messageId: "msg_1",
    webhookId: "one",
    body: "{}",
    atMillis: 1_000,
    attempts: 0,
    dueAtMillis: 1_000
  }
  const delays: Array<number> = []
  let lastAtMillis = 0
  while (message !== undefined) {
    lastAtMillis = message.dueAtMillis
    const next = afterFailure(message, lastAtMillis)
    if (next !== undefined) delays.push((next.dueAtMillis - lastAtMillis) / 1_000)
    message = next
  }
  expect(delays.slice(0, 6)).toEqual([10, 30, 60, 300, 900, 900])
  expect(new Set(delays.slice(4))).toEqual(new Set([900]))
  expect(lastAtMillis - 1_000).toBeLessThanOrEqual(86_400_000)
  expect(lastAtMillis - 1_000).toBeGreaterThan(86_400_000 - 900_000)
})
