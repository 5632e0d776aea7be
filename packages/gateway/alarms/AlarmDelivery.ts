/** Sends waiting messages to the alarm webhooks, at most one at a time to each. */
import { afterFailure, type AlarmMessage } from "@venue/domain/AlarmWebhook"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import type { AlarmPushes } from "@venue/storage/alarms/AlarmPushes"
import { type AlarmEndpoint, AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { Clock, Effect, Option, Schedule } from "effect"

/** Returns an effect that starts the attempts that are due, in the scope of the caller, and does not await them. */
export const make = Effect.gen(function* () {
  const sender = yield* WebhookSender
  const webhooks = yield* AlarmWebhooks
  const inFlight = new Set<string>()

  const attempt = Effect.fnUntraced(
    function* (pushes: AlarmPushes["Service"], { secret, url }: AlarmEndpoint, message: AlarmMessage) {
      const { body, messageId, webhookId } = message
      const { fault } = yield* sender.send({ url, secret, messageId, body })
      const next = fault === null ? undefined : afterFailure(message, yield* Clock.currentTimeMillis)
      // An outcome that cannot be stored is lost, and the message is sent once more.
      const settle = next === undefined ? pushes.remove(message) : pushes.postpone(next)
      yield* Effect.ignore(Effect.retry(settle, retryPolicy))
      yield* Effect.ignore(webhooks.attempted(webhookId, fault))
    },
    Effect.tapDefect((defect) => Effect.logError("sending an alarm failed", defect)),
    // A defect in one message must not stop the others.
    Effect.exit
  )

  return Effect.fnUntraced(function* (pushes: AlarmPushes["Service"], endpoints: ReadonlyArray<AlarmEndpoint>) {
    for (const endpoint of endpoints) {
      const { webhookId } = endpoint
      if (inFlight.has(webhookId)) continue
      const message = yield* pushes.nextDue(webhookId)
      if (Option.isNone(message)) continue
      inFlight.add(webhookId)
      const release = Effect.sync(() => inFlight.delete(webhookId))
      yield* Effect.forkScoped(Effect.ensuring(attempt(pushes, endpoint, message.value), release))
    }
  })
})

const retryPolicy = { schedule: Schedule.spaced("500 millis"), times: 4 }
