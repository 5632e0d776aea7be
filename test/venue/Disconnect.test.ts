import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, gold, limit, say, story, told } from "./Story.ts"

const arm = (armed: boolean) => say("cancel_on_disconnect", { cancel_on_disconnect: armed })

story(
  "I34: when an armed connection closes, every open order of the account is cancelled, and the others hear it",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const alice = yield* venue.user("alice")
      const accountId = yield* venue.subaccount(alice)
      const armed = yield* venue.trade(alice)
      const other = yield* venue.trade(alice)
      const sub = yield* venue.trade(alice, undefined, { accountId })
      yield* armed.send(arm(true))
      assert.deepEqual(yield* armed.take("ack"), { ack: { incoming_message: arm(true) }, ack_response: true })
      yield* armed.send(limit("BUY", 1, 190))
      yield* other.send(limit("BUY", 1, 3300, { symbol: gold }))
      yield* sub.send(limit("BUY", 1, 190))
      yield* venue.settle
      assert.deepEqual(told(yield* other.drain), ["ACK", "ACK"])
      yield* sub.drain
      yield* armed.close
      yield* venue.settle
      assert.deepEqual(told(yield* other.drain), ["CANCELLED", "CANCELLED"])
      assert.deepEqual(yield* sub.drain, [])
      // Once, and never again.
      yield* other.send(limit("BUY", 1, 190))
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(told(yield* other.drain), ["ACK"])
    })
)

story("I34: orders sent in the last breath of an armed connection do not outlive it", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const other = yield* venue.trade(alice)
    for (const before of [0, 1]) {
      const armed = yield* venue.trade(alice, [])
      yield* armed.send(arm(true))
      yield* armed.take("ack")
      for (let i = 0; i < before; i++) yield* armed.send(limit("BUY", 1, 190))
      yield* Effect.andThen(armed.sendAll([limit("BUY", 1, 191), limit("BUY", 1, 192)]), armed.close)
      yield* venue.settle
      yield* TestClock.adjust("1 second")
      yield* other.drain
      yield* other.send(say("get_user_orders"))
      assert.deepEqual((yield* other.take("all_orders_response")).all_orders_response.orders, [])
    }
  })
)

story("rule 4.13: a connection that was never armed, or is no longer, leaves the orders", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const watcher = yield* venue.trade(alice)
    const plain = yield* venue.trade(alice, [])
    yield* plain.send(limit("BUY", 1, 190))
    yield* venue.settle
    yield* plain.close
    const wavering = yield* venue.trade(alice, ["cancel_on_disconnect"])
    yield* wavering.send(arm(false))
    yield* wavering.send(arm(true))
    yield* wavering.send(arm(true))
    yield* wavering.send(arm(false))
    yield* venue.settle
    assert.deepEqual(told(yield* wavering.drain).toSorted(), [
      "ack",
      "ack",
      "ack",
      "ack",
      "cancel_on_disconnect",
      "cancel_on_disconnect"
    ])
    yield* wavering.close
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(told(yield* watcher.drain), ["ACK"])
  })
)

story(
  "I34: a gateway that dies renews nothing; after its lease the armed connections' orders are cancelled once",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const alice = yield* venue.user("alice")
      const bob = yield* venue.user("bob")
      const armed = yield* venue.trade(alice, [], { gateway })
      yield* armed.send(arm(true))
      yield* armed.take("ack")
      const unarmed = yield* venue.trade(bob, [], { gateway })
      const alices = yield* venue.trade(alice)
      const bobs = yield* venue.trade(bob)
      yield* alices.send(limit("BUY", 1, 190))
      yield* bobs.send(limit("BUY", 1, 190))
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(told(yield* alices.drain), ["ACK"])
      yield* gateway.cut
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(yield* alices.drain, [])
      yield* TestClock.adjust("2500 millis")
      yield* venue.settle
      assert.deepEqual(told(yield* alices.drain), ["CANCELLED"])
      yield* alices.send(limit("BUY", 1, 190))
      yield* TestClock.adjust("10 seconds")
      assert.deepEqual(told(yield* alices.drain), ["ACK"])
      assert.deepEqual(told(yield* bobs.drain), ["ACK"])
      assert.isUndefined(unarmed.closedWith())
    })
)

story(
  "I34: a desk that does not answer costs the other desks of its gateway no lease, and nobody else a pulse",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const alice = yield* venue.user("alice")
      const bob = yield* venue.user("bob")
      const armed = yield* venue.trade(alice, ["order_responses", "balances"], { gateway })
      yield* armed.send(arm(true))
      yield* armed.send(limit("BUY", 1, 190))
      yield* venue.settle
      yield* gateway.cutFrom(bob.userId)
      yield* armed.drain
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle
      assert.deepEqual(
        told(yield* armed.drain),
        Array.from({ length: 10 }, () => "balance_response")
      )
    })
)

story("I51: without an answer the outcome is called unknown, never refused, and is told when it comes", (venue) =>
  Effect.gen(function* () {
    const gateway = yield* venue.gateway
    const alice = yield* venue.user("alice")
    const client = yield* venue.trade(alice, ["order_responses"], { gateway })
    yield* client.send(limit("BUY", 1, 190, { client_order_id: "before" }))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])
    yield* gateway.cutFrom(alice.userId)
    const order = limit("BUY", 1, 190, { client_order_id: "lost" })
    yield* client.send(order)
    yield* client.send(say("get_order", { symbol: aapl, order_id: "before" }))
    yield* client.send(say("cancel_all_orders"))
    yield* client.send(say("get_user_orders"))
    yield* TestClock.adjust("15 seconds")
    const errors = (yield* client.drain).map((frame) => frame.err!)
    assert.deepEqual(
      errors.map((error) => error.error_code),
      Array.from({ length: 4 }, () => "ServerError")
    )
    const incoming = errors.map((error) => error.incoming_message)
    assert.deepInclude(incoming, order)
    assert.isUndefined(client.closedWith())
    // A read by client id gives the truth elsewhere.
    const elsewhere = yield* venue.trade(alice)
    yield* elsewhere.send(say("get_order", { symbol: aapl, order_id: "lost" }))
    yield* elsewhere.send(say("get_order", { symbol: aapl, order_id: "before" }))
    yield* venue.settle
    assert.deepEqual(told(yield* elsewhere.drain), ["NO_SUCH_ORDER", "ACK"])
  })
)

story("I34: a slow reader that is closed by the venue counts as disconnected", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const slow = yield* venue.trade(alice)
    const other = yield* venue.trade(alice)
    yield* slow.send(arm(true))
    yield* slow.take("ack")
    yield* slow.send(limit("BUY", 1, 190))
    yield* venue.settle
    yield* slow.lag(2 * 1024 * 1024)
    yield* other.send(limit("BUY", 1, 191))
    yield* venue.settle
    assert.strictEqual(slow.closedWith()?.code, 1013)
    assert.deepEqual(told(yield* other.drain), ["ACK", "ACK", "CANCELLED", "CANCELLED"])
  })
)

story("cancel_on_disconnect asks for a boolean", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (const value of [1, "true", null, undefined]) {
      yield* client.send(say("cancel_on_disconnect", { cancel_on_disconnect: value }))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidJSONFormat")
    }
  })
)
