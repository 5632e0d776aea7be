/**
 * Sends webhook messages to users' endpoints until interrupted. Two concurrent loops share the work, because each
 * leases its endpoints. The leases of a crashed loop expire, and another loop takes its endpoints over.
 */
import { spacingAfter } from "@venue/domain/Webhook"
import { bodyOf } from "@venue/providers/webhooks/WebhookBody"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { type Taken, Webhooks } from "@venue/storage/treasury/Webhooks"
import { Clock, Effect, Queue, Random, Schedule } from "effect"

/** Maximum number of attempts in flight. A slow endpoint occupies one attempt until its deadline. */
const maxInFlight = 64
const pollInterval = "1 second"

export const run = Effect.scoped(
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliver = yield* makeDeliver
    /** Signals that an attempt has finished, so that another one can start. */
    const ended = yield* Queue.sliding<void>(1)
    let inFlight = 0
    while (true) {
      const taken = inFlight < maxInFlight ? yield* webhooks.take(maxInFlight - inFlight) : []
      for (const attempt of taken) {
        inFlight += 1
        const release = Effect.sync(() => {
          inFlight -= 1
          Queue.offerUnsafe(ended, undefined)
        })
        yield* Effect.forkScoped(Effect.ensuring(deliver(attempt), release))
      }
      yield* Effect.timeoutOption(Queue.take(ended), pollInterval)
    }
  })
)

const makeDeliver = Effect.gen(function* () {
  const sender = yield* WebhookSender
  const webhooks = yield* Webhooks
  return Effect.fnUntraced(
    function* (taken: Taken) {
      const { attempt, message, messageId, url } = taken
      const answer = yield* sender.send({ url, secret: yield* taken.secret, messageId, body: bodyOf(message) })
      const spacing = answer.fault === null ? undefined : spacingAfter(attempt, yield* Random.next)
      const nextAtMillis = spacing === undefined ? null : (yield* Clock.currentTimeMillis) + spacing
      // An outcome that cannot be stored is lost, and the message is sent once more when the endpoint's lease
      // expires.
      yield* webhooks.finish(taken, answer, nextAtMillis).pipe(Effect.retry(retryPolicy), Effect.ignore)
    },
    Effect.tapDefect((defect) => Effect.logError("sending a webhook message failed", defect)),
    // A defect in one message must not stop the others.
    Effect.exit
  )
})

const retryPolicy = { schedule: Schedule.spaced("1 second"), times: 20 }
