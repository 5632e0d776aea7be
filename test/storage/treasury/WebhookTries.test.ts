import { type TryAnswer, webhooksKeptMillis } from "@venue/domain/Webhook"
import type { Transaction } from "@venue/postgres/Transaction"
import type { Users } from "@venue/storage/access/Users"
import { Webhooks } from "@venue/storage/treasury/Webhooks"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  begin,
  day,
  endpointOf,
  inMemory,
  next,
  ok,
  onPostgres,
  type MessageWriter,
  write,
  wrong
} from "./MessageRecipient.ts"

const suite = (name: string, services: Layer.Layer<Users | Webhooks | Transaction | MessageWriter, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    it.effect("leases each webhook endpoint to only one of several concurrent workers", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* Effect.forEach([endpointOf(userId), endpointOf(userId), endpointOf(userId)], webhooks.add)
        yield* write(userId)
        yield* write(userId, { subjectId: `${userId} another` })
        const taken = (yield* Effect.all(
          Array.from({ length: 6 }, () => webhooks.take(2)),
          { concurrency: "unbounded" }
        )).flat()
        const endpoints = taken.map(({ webhookId }) => webhookId)
        assert.lengthOf(endpoints, 3)
        assert.strictEqual(new Set(endpoints).size, 3)
        assert.lengthOf(yield* webhooks.take(10), 0)
        // Each endpoint returns its second message next, and each message only once.
        yield* Effect.forEach(taken, (attempt) => webhooks.finish(attempt, ok, null), { concurrency: "unbounded" })
        const rest = yield* webhooks.take(10)
        assert.lengthOf(rest, 3)
        for (const one of rest) assert.notStrictEqual(one.messageId, next(taken, one.webhookId).messageId)
      })
    )

    it.effect("leases an endpoint again after one minute without a result, and ignores a late result", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        yield* write(userId)
        const first = next(yield* webhooks.take(10))
        yield* TestClock.adjust("59999 millis")
        assert.lengthOf(yield* webhooks.take(10), 0)
        yield* TestClock.adjust(1)
        const again = next(yield* webhooks.take(10))
        assert.deepStrictEqual([again.messageId, again.attempt], [first.messageId, 1])
        assert.isFalse(yield* webhooks.finish(first, ok, null))
        assert.isTrue(yield* webhooks.finish(again, wrong, null))
        const [webhook] = yield* webhooks.ofUser(userId)
        assert.deepStrictEqual(
          webhook!.deliveries.map(({ outcome }) => outcome),
          ["FAILED"]
        )
      })
    )

    it.effect("schedules another delivery attempt after a failed one, and lists all attempts", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const { webhookId } = yield* webhooks.add(endpointOf(userId))
        yield* write(userId)
        const now = yield* Clock.currentTimeMillis
        const first = next(yield* webhooks.take(10))
        assert.isTrue(yield* webhooks.finish(first, wrong, now + 10_000))
        yield* TestClock.adjust("9999 millis")
        assert.lengthOf(yield* webhooks.take(10), 0)
        yield* TestClock.adjust(1)
        const second = next(yield* webhooks.take(10))
        assert.strictEqual(second.attempt, 2)
        yield* webhooks.finish(second, ok, null)
        const [webhook] = yield* webhooks.ofUser(userId)
        const of = { messageId: first.messageId, webhookId, event: "deposit.credited" }
        assert.deepStrictEqual(webhook!.deliveries as ReadonlyArray<unknown>, [
          { ...of, attempt: 2, dueAtMillis: now + 10_000, outcome: "DELIVERED", ...ok, endedAtMillis: now + 10_000 },
          { ...of, attempt: 1, dueAtMillis: now, outcome: "FAILED", ...wrong, endedAtMillis: now }
        ])
        yield* TestClock.adjust("1 day")
        assert.lengthOf(yield* webhooks.take(10), 0)
      })
    )

    it.effect("lists the last ten delivery attempts", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        for (let n = 0; n < 12; n++) {
          yield* TestClock.adjust(1)
          yield* write(userId, { subjectId: `${userId} ${n}` })
        }
        const now = yield* Clock.currentTimeMillis
        const [webhook] = yield* webhooks.ofUser(userId)
        assert.deepStrictEqual(
          webhook!.deliveries.map(({ dueAtMillis }) => now - dueAtMillis),
          [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        )
      })
    )

    it.effect("disables an endpoint that responds with 410, and drops its pending attempts", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        yield* write(userId)
        yield* write(userId, { subjectId: `${userId} another` })
        const now = yield* Clock.currentTimeMillis
        const gone = { status: 410, fault: "the endpoint returned status 410" }
        yield* webhooks.finish(next(yield* webhooks.take(10)), gone, now + 10_000)
        const [webhook] = yield* webhooks.ofUser(userId)
        assert.deepStrictEqual([webhook!.disabledReason, webhook!.disabledAtMillis], ["gone", now])
        const outcomes = webhook!.deliveries.map(({ fault, outcome }) => [outcome, fault])
        assert.sameDeepMembers(outcomes, [
          ["FAILED", gone.fault],
          ["DROPPED", "the endpoint returned status 410 and was disabled"]
        ])
        yield* write(userId, { subjectId: `${userId} later` })
        yield* TestClock.adjust("1 day")
        assert.lengthOf(yield* webhooks.take(10), 0)
        assert.lengthOf((yield* webhooks.ofUser(userId))[0]!.deliveries, 2)
      })
    )

    it.effect("disables an endpoint when a message's last attempt fails after three days without a success", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        yield* webhooks.add(endpointOf(userId))
        let written = 0
        const fail = Effect.fnUntraced(function* (answer: TryAnswer, isLast: boolean) {
          yield* write(userId, { subjectId: `${userId} ${++written}` })
          const nextAtMillis = isLast ? null : (yield* Clock.currentTimeMillis) + 1_000 * day
          yield* webhooks.finish(next(yield* webhooks.take(10)), answer, nextAtMillis)
          return (yield* webhooks.ofUser(userId))[0]!.disabledReason
        })
        assert.isNull(yield* fail(wrong, true))
        yield* TestClock.adjust("2 days")
        // A success restarts the period of three days.
        assert.isNull(yield* fail(ok, true))
        assert.isNull(yield* fail(wrong, true))
        yield* TestClock.adjust(3 * day - 1)
        assert.isNull(yield* fail(wrong, true))
        yield* TestClock.adjust("1 day")
        assert.isNull(yield* fail(wrong, false))
        assert.strictEqual(yield* fail(wrong, true), "failing")
      })
    )

    it.effect("leases working endpoints before failing ones", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const [bad, good] = [endpointOf(userId), endpointOf(userId, { events: ["withdrawal.settled"] })]
        yield* Effect.forEach([bad, good], webhooks.add)
        yield* write(userId)
        const now = yield* Clock.currentTimeMillis
        yield* webhooks.finish(next(yield* webhooks.take(1), bad.webhookId), wrong, now + 1)
        yield* TestClock.adjust("1 minute")
        yield* write(userId, { event: "withdrawal.settled", subjectId: `${userId} withdrawal` })
        next(yield* webhooks.take(1), good.webhookId)
        next(yield* webhooks.take(1), bad.webhookId)
      })
    )

    it.effect("drops a deleted endpoint's pending attempts, and ignores the result of its running attempt", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const { webhookId } = yield* webhooks.add(endpointOf(userId))
        yield* write(userId)
        const taken = next(yield* webhooks.take(10))
        yield* write(userId, { subjectId: `${userId} another` })
        assert.isTrue(yield* webhooks.remove(userId, webhookId))
        assert.isFalse(yield* webhooks.finish(taken, ok, null))
        yield* TestClock.adjust("1 hour")
        assert.lengthOf(yield* webhooks.take(10), 0)
      })
    )

    it.effect("I48: deletes webhook messages and attempts after thirty days", () =>
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const userId = yield* begin
        const oldMillis = (yield* Clock.currentTimeMillis) - webhooksKeptMillis
        yield* webhooks.add(endpointOf(userId))
        yield* write(userId, { atMillis: oldMillis - 1 })
        yield* write(userId, { subjectId: `${userId} another`, atMillis: oldMillis })
        assert.strictEqual(yield* webhooks.prune, 1)
        const [webhook] = yield* webhooks.ofUser(userId)
        assert.deepStrictEqual(
          webhook!.deliveries.map(({ dueAtMillis }) => dueAtMillis),
          [oldMillis]
        )
        assert.strictEqual(yield* webhooks.prune, 0)
      })
    )
  })

suite("tries in memory", inMemory)
suite("tries on Postgres", onPostgres)
