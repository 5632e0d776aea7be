/**
 * Sends users what they are to be told, for as long as it runs. Two at once share the work, since each takes endpoints of its
 * own; what one had taken when it died is taken again.
 */
import { spacingAfter } from "@venue/domain/Webhook"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { type Taken, Webhooks } from "@venue/storage/treasury/Webhooks"
import { Clock, Effect, Queue, Random, Schedule } from "effect"

/** An endpoint that is slow keeps one of these, and no more, until its deadline. */
const maxUnderWay = 64
const lookEvery = "1 second"

export const run = Effect.scoped(
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliver = yield* makeDeliver
    /** Says that another try may be taken. */
    const ended = yield* Queue.sliding<void>(1)
    let underWay = 0
    while (true) {
      const taken = underWay < maxUnderWay ? yield* webhooks.take(maxUnderWay - underWay) : []
      for (const one of taken) {
        underWay += 1
        const leave = Effect.sync(() => {
          underWay -= 1
          Queue.offerUnsafe(ended, undefined)
        })
        yield* Effect.forkScoped(Effect.ensuring(deliver(one), leave))
      }
      yield* Effect.timeoutOption(Queue.take(ended), lookEvery)
    }
  })
)

const makeDeliver = Effect.gen(function* () {
  const sender = yield* WebhookSender
  const webhooks = yield* Webhooks
  return Effect.fnUntraced(
    function* (one: Taken) {
      const { attempt, message, messageId, url } = one
      const answer = yield* sender.send({ url, secret: yield* one.secret, messageId, message })
      const spacing = answer.fault === null ? undefined : spacingAfter(attempt, yield* Random.next)
      const nextAtMillis = spacing === undefined ? null : (yield* Clock.currentTimeMillis) + spacing
      // What cannot be noted is sent once more when the endpoint is free again.
      yield* webhooks.finish(one, answer, nextAtMillis).pipe(Effect.retry(noteAgain), Effect.ignore)
    },
    Effect.tapDefect((defect) => Effect.logError("a webhook message is not sent", defect)),
    // A fault of ours in one message holds up no other.
    Effect.exit
  )
})

const noteAgain = { schedule: Schedule.spaced("1 second"), times: 20 }
