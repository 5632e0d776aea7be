import { UserId } from "@venue/domain/UserId"
import { maxWebhooks, type WebhookMessage } from "@venue/domain/Webhook"
import { Transaction } from "@venue/postgres/Transaction"
import type { Users } from "@venue/storage/access/Users"
import { type Taken, Webhooks } from "@venue/storage/treasury/Webhooks"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { credited } from "../../providers/webhooks/Message.ts"
import { dump } from "../../Postgres.ts"
import { begin, endpointOf, inMemory, next, onPostgres, secret, MessageWriter, write } from "./MessageRecipient.ts"

const suite = (name: string, services: Layer.Layer<Users | Webhooks | Transaction | MessageWriter, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("lists a webhook endpoint only to its user, without the secret", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const first = endpointOf(userId)
        const added = yield* webhooks.add(first)
        const { secret: _, ...shown } = first
        const createdAtMillis = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(added, { ...shown, createdAtMillis, disabledAtMillis: null, disabledReason: null })
        yield* TestClock.adjust(1)
        const second = endpointOf(userId)
        yield* webhooks.add(second)
        const listed = yield* webhooks.ofUser(userId)
        assert.deepStrictEqual(
          listed.map(({ webhookId }) => webhookId),
          [first.webhookId, second.webhookId]
        )
        assert.deepStrictEqual(listed[0], { ...added, deliveries: [] })
        assert.isFalse(yield* webhooks.remove(UserId.make("somebody"), first.webhookId))
        assert.isTrue(yield* webhooks.remove(userId, first.webhookId))
        assert.isFalse(yield* webhooks.remove(userId, first.webhookId))
        assert.lengthOf(yield* webhooks.ofUser(userId), 1)
      })
    )

    it.effect(
      "limits a user to five webhook endpoints under concurrent requests, and allows another after a deletion",
      () =>
        Effect.gen(function* () {
          const webhooks = yield* Webhooks
          const userId = yield* begin
          const tried = yield* Effect.forEach(
            Array.from({ length: maxWebhooks + 3 }, () => endpointOf(userId)),
            (webhook) => Effect.result(webhooks.add(webhook)),
            { concurrency: "unbounded" }
          )
          const added = tried.flatMap((result) => (result._tag === "Success" ? [result.success.webhookId] : []))
          assert.lengthOf(added, maxWebhooks)
          const refused = yield* Effect.flip(webhooks.add(endpointOf(userId)))
          assert.strictEqual(refused._tag, "TooManyWebhooks")
          yield* webhooks.remove(userId, added[0]!)
          yield* webhooks.add(endpointOf(userId))
        })
    )

    it.effect("sends a message once to each of the user's subscribed endpoints, but to no endpoint created later", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const [one, two] = [endpointOf(userId), endpointOf(userId)]
        const other = endpointOf(userId, { events: ["withdrawal.failed"] })
        yield* Effect.forEach([one, two, other], webhooks.add)
        yield* write(userId)
        yield* write(userId)
        const later = endpointOf(userId)
        yield* webhooks.add(later)
        const taken = yield* webhooks.take(10)
        assert.deepStrictEqual(
          taken.map(({ webhookId }) => webhookId).toSorted(),
          [one.webhookId, two.webhookId].toSorted()
        )
        const [first, second] = taken as [Taken, Taken]
        assert.match(first.messageId, /^msg_[0-9a-f]{32}$/)
        assert.strictEqual(second.messageId, first.messageId)
        assert.strictEqual(first.attempt, 1)
        assert.strictEqual(first.url, [one, two].find(({ webhookId }) => webhookId === first.webhookId)!.url)
        assert.strictEqual(Redacted.value(yield* first.secret), Redacted.value(secret))
        const atMillis = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(first.message, { ...credited, subjectId: `${userId} deposit`, userId, atMillis })
      })
    )

    it.effect("returns every field of a webhook message unchanged", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        const atMillis = yield* Clock.currentTimeMillis
        const message: WebhookMessage = {
          userId,
          event: "withdrawal.settled",
          subjectId: `${userId} withdrawal`,
          method: "TRON",
          amount: 12_345_678_901_234_567n,
          fee: 25_000_000n,
          destination: "Taddress",
          txHash: "0xhash",
          createdAtMillis: atMillis - 5,
          creditedAtMillis: null,
          atMillis
        }
        yield* write(userId, message)
        assert.deepStrictEqual(next(yield* webhooks.take(10)).message, message)
      })
    )

    it.effect("sends no message if its transaction was rolled back", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        const { run } = yield* Transaction
        const writer = yield* MessageWriter
        const atMillis = yield* Clock.currentTimeMillis
        const message = { ...credited, subjectId: `${userId} deposit`, userId, atMillis }
        yield* Effect.flip(run(Effect.andThen(writer(message), Effect.fail("rolled back"))))
        assert.lengthOf(yield* webhooks.take(10), 0)
        // The same change then succeeds, because the rolled-back attempt left no rows.
        yield* run(writer(message))
        assert.lengthOf(yield* webhooks.take(10), 1)
      })
    )
  })

suite("webhooks in memory", inMemory)
suite("webhooks on Postgres", onPostgres)

layer(onPostgres, { timeout: "60 seconds" })("the database", (it) => {
  it.effect("I46: stores a webhook secret sealed, and opens it only under its own endpoint", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const userId = yield* begin
      const [mine, other] = [endpointOf(userId), endpointOf(userId)]
      yield* Effect.forEach([mine, other], webhooks.add)
      const stored = yield* dump
      assert.include(stored, mine.webhookId)
      for (const text of ["Canary", Redacted.value(secret)]) {
        for (const form of [text, Buffer.from(text).toString("hex")]) assert.notInclude(stored, form)
      }
      yield* sql`
        update webhook set sealed_secret = (select sealed_secret from webhook where webhook_id = ${other.webhookId})
        where webhook_id = ${mine.webhookId}`
      yield* write(userId)
      const taken = yield* webhooks.take(10)
      assert.strictEqual((yield* Effect.exit(next(taken, mine.webhookId).secret))._tag, "Failure")
      assert.strictEqual((yield* Effect.exit(next(taken, other.webhookId).secret))._tag, "Success")
    })
  )

  it.effect("writes a webhook message only for a subscribed endpoint, even while the endpoint is being deleted", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const userId = yield* begin
      yield* write(userId)
      assert.lengthOf(yield* sql`select 1 from webhook_message where user_id = ${userId}`, 0)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        Effect.fnUntraced(function* (n) {
          const { webhookId } = yield* webhooks.add(endpointOf(userId))
          yield* Effect.all([webhooks.remove(userId, webhookId), write(userId, { subjectId: `${userId} ${n}` })], {
            concurrency: "unbounded"
          })
        })
      )
    })
  )
})
