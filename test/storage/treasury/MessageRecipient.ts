/** A user with webhook endpoints, and a service that writes messages, in memory and on Postgres. */
import { UserId } from "@venue/domain/UserId"
import type { TryAnswer, WebhookEvent, WebhookMessage } from "@venue/domain/Webhook"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { WebhookMemory } from "@venue/storage/treasury/WebhookMemory"
import { type NewWebhook, type Taken, Webhooks } from "@venue/storage/treasury/Webhooks"
import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { credited } from "../../providers/webhooks/Message.ts"
import { postgresLayer } from "../../Postgres.ts"

export class MessageWriter extends Context.Service<
  MessageWriter,
  (message: WebhookMessage) => Effect.Effect<void, unknown>
>()("MessageWriter") {
  static readonly layerMemory = Layer.effect(
    MessageWriter,
    Effect.map(
      WebhookMemory,
      ({ write }) =>
        (message: WebhookMessage) =>
          Effect.sync(() => write(message))
    )
  ).pipe(Layer.provide(WebhookMemory.layer))

  static readonly layer = Layer.effect(
    MessageWriter,
    Effect.map(SqlClient.SqlClient, (sql) => (message: WebhookMessage) => {
      const { amount, destination, event, fee, method, subjectId, txHash, userId } = message
      const [created, at] = [new Date(message.createdAtMillis), new Date(message.atMillis)]
      const credited = message.creditedAtMillis === null ? null : new Date(message.creditedAtMillis)
      return sql`select tell_webhooks(${userId}, ${event}, ${subjectId}, ${method}, ${String(amount)}::numeric,
        ${fee === null ? null : String(fee)}::numeric, ${destination}::text, ${txHash}::text, ${created}, ${credited}::timestamptz, ${at})`
    })
  )
}

export const day = 24 * 60 * 60 * 1000
export const secret = Redacted.make("whsec_CanaryOfAWebhookSecret00000000000000000000")
export const ok: TryAnswer = { status: 204, fault: null }
export const wrong: TryAnswer = { status: 503, fault: "the endpoint returned status 503" }

let users = 0
/** Creates a user whose endpoints are removed after the test, so that no other test takes their delivery attempts. */
export const begin = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  users += 1
  const userId = UserId.make(`user-${users}`)
  yield* (yield* Users).create({ userId, name: userId })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Effect.orDie(webhooks.ofUser(userId)), (own) =>
      Effect.forEach(own, ({ webhookId }) => Effect.orDie(webhooks.remove(userId, webhookId)))
    )
  )
  return userId
})

let made = 0
export const endpointOf = (userId: UserId, change: Partial<NewWebhook> = {}): NewWebhook => {
  made += 1
  const events: ReadonlyArray<WebhookEvent> = ["deposit.credited", "withdrawal.settled"]
  return { webhookId: `webhook-${made}`, userId, url: `https://example.com/${made}`, events, secret, ...change }
}

export const write = Effect.fnUntraced(function* (userId: UserId, change: Partial<WebhookMessage> = {}) {
  const { run } = yield* Transaction
  const writer = yield* MessageWriter
  const atMillis = yield* Clock.currentTimeMillis
  yield* run(writer({ ...credited, subjectId: `${userId} deposit`, userId, atMillis, ...change }))
})

export const next = (taken: ReadonlyArray<Taken>, webhookId?: string): Taken => {
  const attempt = taken.find((each) => webhookId === undefined || each.webhookId === webhookId)
  assert(attempt !== undefined)
  return attempt
}

export const inMemory = Layer.mergeAll(
  Webhooks.layerMemory,
  Users.layerMemory,
  Transaction.layerMemory,
  MessageWriter.layerMemory
)

export const onPostgres = Layer.mergeAll(Webhooks.layer, Users.layer, Transaction.layer, MessageWriter.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make("the secret key of this test, of any characters"))),
  Layer.provideMerge(postgresLayer)
)
