import { assert } from "@effect/vitest"
import type { Client } from "@venue/testing/Client"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { aapl, gold, limit, modify, say, story, told } from "./Story.ts"

const arm = (armed: boolean) => say("cancel_on_disconnect", { cancel_on_disconnect: armed })

story("I34: when a connection with cancel-on-disconnect closes, cancels all of the account's orders", (venue) =>
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
    // Orders placed later stay open, because orders are cancelled only once.
    yield* other.send(limit("BUY", 1, 190))
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(told(yield* other.drain), ["ACK"])
  })
)

story("I34: cancel-on-disconnect also cancels the orders that the connection sent just before it closed", (venue) =>
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

story(
  "rule 4.13: keeps orders open if the closed connection had never armed cancel-on-disconnect, or had disarmed it",
  (venue) =>
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
  "I34: cancels the orders of a dead gateway's armed connections a single time, when the gateway's lease expires",
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
  "I34: keeps renewing leases and sending periodic frames for other desks while one desk does not respond",
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

/** Returns the client order ids of the user's open orders in all symbols. */
const openOrders = Effect.fnUntraced(function* (client: Client) {
  yield* client.drain
  yield* client.send(say("get_user_orders"))
  const { orders } = (yield* client.take("all_orders_response")).all_orders_response
  return orders.map(({ client_order_id }) => client_order_id).toSorted()
})

story("I34: keeps orders that the client placed after its half-open connection fell silent and was replaced", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const old = yield* venue.trade(alice)
    yield* old.send(arm(true))
    yield* old.take("ack")
    const buy = (name: string) => limit("BUY", 1, 190, { client_order_id: name })
    yield* old.sendAll([buy("old"), buy("modified"), buy("refused")])
    yield* venue.settle
    const acks = (yield* old.drain).map((frame) => frame["order_response"])
    // The connection responded to every ping before its network failed, so orders placed before the failure are older
    // than the loss.
    const other = yield* venue.trade(alice)
    yield* TestClock.adjust("20 seconds")
    yield* other.send(buy("before"))
    yield* venue.settle
    yield* TestClock.adjust("3 seconds")
    yield* old.silence
    yield* TestClock.adjust("30 seconds")
    const replacement = yield* venue.trade(alice)
    yield* replacement.send(arm(true))
    const order = (name: string) => acks.find((ack) => ack?.client_order_id === name)!
    yield* replacement.sendAll([
      buy("new"),
      modify(order("modified"), { price: 191 }),
      modify(order("refused"), { price: 191.00001 })
    ])
    yield* other.send(buy("newer"))
    yield* venue.settle
    yield* TestClock.adjust("20 seconds")
    yield* old.reportGone
    yield* venue.settle
    assert.deepEqual(yield* openOrders(other), ["modified", "new", "newer"])
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(yield* openOrders(other), ["modified", "new", "newer"])
    yield* replacement.close
    yield* venue.settle
    assert.deepEqual(yield* openOrders(other), [])
  })
)

story(
  "I34: when an armed connection closes, cancels all earlier orders, including those from the user's other connections",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const armed = yield* venue.trade(alice)
      const other = yield* venue.trade(alice)
      yield* armed.send(arm(true))
      yield* armed.take("ack")
      yield* armed.silence
      yield* TestClock.adjust("10 seconds")
      yield* other.send(limit("BUY", 1, 190))
      yield* venue.settle
      yield* TestClock.adjust("10 seconds")
      yield* armed.close
      yield* venue.settle
      assert.deepEqual(yield* openOrders(other), [])
    })
)

story("I34: a connection that the venue considers lost gets an error for its next order, and is then closed", (venue) =>
  Effect.gen(function* () {
    const gateway = yield* venue.gateway
    const alice = yield* venue.user("alice")
    const armed = yield* venue.trade(alice, ["order_responses"], { gateway })
    const other = yield* venue.trade(alice)
    yield* armed.send(arm(true))
    yield* armed.take("ack")
    yield* armed.send(limit("BUY", 1, 190, { client_order_id: "open" }))
    yield* TestClock.adjust("5 seconds")
    yield* gateway.cut
    yield* TestClock.adjust("4500 millis")
    yield* venue.settle
    assert.deepEqual(yield* openOrders(other), [])
    yield* gateway.mend
    yield* armed.send(limit("BUY", 1, 190, { client_order_id: "late" }))
    yield* venue.settle
    const { err } = (yield* armed.drain).find((frame) => "err" in frame)!
    assert.include(err?.message, "the venue considered this connection lost")
    assert.isUndefined(armed.closedWith())
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    assert.strictEqual(armed.closedWith()?.code, 1013)
    assert.deepEqual(yield* openOrders(other), [])
  })
)

story(
  "I34: closes a stopping gateway's connections within 2 s, and cancels orders without waiting for the lease to expire",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const [alice, bob] = [yield* venue.user("alice"), yield* venue.user("bob")]
      const armed = yield* venue.trade(alice, [], { gateway })
      const unarmed = yield* venue.trade(bob, [], { gateway })
      const [alices, bobs] = [yield* venue.trade(alice), yield* venue.trade(bob)]
      yield* armed.send(arm(true))
      yield* armed.take("ack")
      yield* armed.send(limit("BUY", 1, 190))
      yield* unarmed.send(limit("BUY", 1, 190))
      yield* venue.settle
      const drained = yield* Effect.forkChild(gateway.drain)
      yield* venue.settle
      yield* TestClock.adjust("2100 millis")
      yield* venue.settle
      assert.deepEqual([armed.closedWith()?.code, unarmed.closedWith()?.code], [1001, 1001])
      assert.deepEqual(yield* openOrders(alices), [])
      assert.lengthOf(yield* openOrders(bobs), 1)
      yield* Fiber.interrupt(drained)
    })
)

story(
  "I48: limits a user to twenty connections over all gateways, and soon releases a dead gateway's connections",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const alice = yield* venue.user("alice")
      const welcomed = Effect.fnUntraced(function* (from?: typeof gateway) {
        const client = yield* from?.connect ?? venue.connect
        yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(alice) } })
        yield* venue.settle
        return told(yield* client.drain)
      })
      const first = yield* venue.trade(alice, [], { gateway })
      for (let i = 1; i < 12; i++) assert.deepEqual(yield* welcomed(gateway), ["type"])
      for (let i = 0; i < 8; i++) assert.deepEqual(yield* welcomed(), ["type"])
      assert.deepEqual(yield* welcomed(), ["RateLimited"])
      assert.deepEqual(yield* welcomed(gateway), ["RateLimited"])
      yield* first.close
      yield* venue.settle
      assert.deepEqual(yield* welcomed(), ["type"])
      assert.deepEqual(yield* welcomed(), ["RateLimited"])
      yield* gateway.cut
      yield* TestClock.adjust("11 seconds")
      assert.deepEqual(yield* welcomed(), ["type"])
    })
)

story("I51: reports a missing outcome as unknown, never as refused, and sends the outcome when it arrives", (venue) =>
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
    // On another connection, a query by client order id returns the order's true state.
    const elsewhere = yield* venue.trade(alice)
    yield* elsewhere.send(say("get_order", { symbol: aapl, order_id: "lost" }))
    yield* elsewhere.send(say("get_order", { symbol: aapl, order_id: "before" }))
    yield* venue.settle
    assert.deepEqual(told(yield* elsewhere.drain), ["NO_SUCH_ORDER", "ACK"])
  })
)

story(
  "I34: if cancel-on-disconnect is armed, cancels a slow reader's orders when the venue disconnects that reader",
  (venue) =>
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

story("rejects a cancel_on_disconnect message without a boolean", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (const value of [1, "true", null, undefined]) {
      yield* client.send(say("cancel_on_disconnect", { cancel_on_disconnect: value }))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidJSONFormat")
    }
  })
)
