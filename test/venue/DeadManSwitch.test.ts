/** Dead-man switches as clients see them. */
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import { assert } from "@effect/vitest"
import type { Client } from "@venue/testing/Client"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, friday, gold, limit, market, say, story, told } from "./Story.ts"

const after = (seconds: number) => say("cancel_all_after", { timeout_secs: seconds })

/** Sets the switch and returns the response without the request's fields. */
const asked = Effect.fnUntraced(function* (client: Client, seconds: number) {
  yield* client.send(after(seconds))
  const { ack, ...answer } = yield* client.take("cancel_all_after_response")
  assert.deepEqual(ack, { incoming_message: after(seconds) })
  return answer
})

/** Advances to `beforeMillis` before the switch is due. */
const until = (cancelAt: number | null, beforeMillis = 0) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => TestClock.adjust(cancelAt! * 1_000 - beforeMillis - nowMillis))

const openOrders = Effect.fnUntraced(function* (client: Client) {
  yield* client.drain
  yield* client.send(say("get_user_orders"))
  return (yield* client.take("all_orders_response")).all_orders_response
})

story(
  "rule 4.21: if a dead-man switch is not renewed in time, cancels all of the account's orders, but no stops or TWAPs",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const alice = yield* venue.user("alice")
      const sub = yield* venue.trade(alice, undefined, { accountId: yield* venue.subaccount(alice) })
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* bob.send(limit("SELL", 5, 200))
      yield* venue.settle
      const client = yield* venue.trade(alice)
      const other = yield* venue.trade(alice)
      yield* client.send(market("BUY", 1))
      yield* venue.settle
      yield* client.send(limit("SELL", 1, 190, { order_type: "STOP_LOSS", reduce_only: true }))
      yield* client.send(
        say("add_twap", {
          symbol: gold,
          side: "BUY",
          total_quantity: 2,
          num_orders: 2,
          order_interval_secs: 600,
          reduce_only: false,
          start_time: friday / 1_000 + 3_600
        })
      )
      yield* client.send(limit("BUY", 1, 190))
      yield* other.send(limit("BUY", 1, 3300, { symbol: gold, order_type: "ALO" }))
      yield* sub.send(limit("BUY", 1, 190))
      yield* venue.settle
      yield* TestClock.adjust("200 millis")
      assert.deepEqual(yield* asked(client, 5), {
        ack_response: true,
        cancel_all_after_response: { timeout_secs: 5, cancel_at: friday / 1_000 + 6 }
      })
      yield* TestClock.adjust("3700 millis")
      // Another connection renews the switch, and the connection that set the switch closes.
      const renewed = yield* asked(other, 10)
      assert.deepEqual(renewed.cancel_all_after_response, { timeout_secs: 10, cancel_at: friday / 1_000 + 14 })
      yield* client.close
      yield* venue.settle
      yield* other.drain
      yield* sub.drain
      yield* until(renewed.cancel_all_after_response.cancel_at, 1)
      assert.deepEqual(yield* other.drain, [])
      yield* TestClock.adjust("1 millis")
      yield* venue.settle
      assert.deepEqual(told(yield* other.drain), ["CANCELLED", "CANCELLED"])
      assert.deepEqual(yield* sub.drain, [])
      const left = yield* openOrders(other)
      assert.deepEqual(
        left.orders.map(({ type }) => type),
        ["STOP_LOSS"]
      )
      assert.lengthOf(left.twaps, 1)
      // Orders placed later stay open, because the switch fires only once.
      yield* other.send(limit("BUY", 1, 190))
      yield* TestClock.adjust("20 minutes")
      yield* venue.settle
      assert.lengthOf((yield* openOrders(other)).orders, 2)
    })
)

story(
  "rule 4.21: a timeout of 0 turns a dead-man switch off, and orders placed after it has fired stay open",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.send(limit("BUY", 1, 190))
      yield* asked(client, 5)
      assert.deepEqual((yield* asked(client, 0)).cancel_all_after_response, { timeout_secs: 0, cancel_at: null })
      yield* TestClock.adjust("10 minutes")
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["ACK"])
      for (const price of [191, 192]) {
        const { cancel_at } = (yield* asked(client, 5)).cancel_all_after_response
        yield* until(cancel_at)
        yield* venue.settle
        assert.deepEqual(told(yield* client.drain), ["CANCELLED"])
        yield* client.send(limit("BUY", 1, price))
        yield* TestClock.adjust("10 seconds")
        yield* venue.settle
        assert.deepEqual(told(yield* client.drain), ["ACK"])
      }
    })
)

story(
  "I55: a dead-man switch cancels a trader's orders in time and once, even if the trader's owner changes",
  (venue) =>
    Effect.gen(function* () {
      const user = yield* venue.user("alice")
      const client = yield* venue.trade(user)
      yield* client.send(limit("BUY", 1, 190))
      yield* asked(client, 10)
      yield* TestClock.adjust("3 seconds")
      const stream = traderStream(user.userId)
      const journal = yield* Journal
      yield* journal.claim(stream, { restore: () => true, replay: () => {} }, Effect.succeed(true))
      yield* client.drain
      // The owner is fenced when it writes the row with which the switch fires.
      yield* TestClock.adjust("7 seconds")
      yield* venue.settle
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["CANCELLED"])
      yield* client.send(limit("BUY", 1, 191))
      yield* TestClock.adjust("2 minutes")
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["ACK"])
      assert.lengthOf((yield* openOrders(client)).orders, 1)
      assert.strictEqual((yield* openOrders(client)).orders[0]?.symbol, aapl)
    })
)
