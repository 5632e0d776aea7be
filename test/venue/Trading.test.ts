/** Stories of traders on a whole venue in memory. */
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

it.effect("a resting order and a taker meet, and both are told", () =>
  Effect.gen(function*() {
    yield* TestClock.adjust(1)
    const venue = yield* TestVenue
    yield* venue.price("AAPL-USD", 200)
    const alice = yield* venue.user("alice")
    const bob = yield* venue.user("bob")
    const maker = yield* venue.trade(alice)
    const taker = yield* venue.trade(bob)
    yield* maker.send({
      type: "add_order",
      params: { symbol: "AAPL-USD", side: "SELL", order_type: "LIMIT", order_time_in_force: "GTC", quantity: 2, price: 200.5 }
    })
    const { order_response: resting } = yield* maker.take("order_response")
    assert.strictEqual(resting.status, "ACK")
    yield* taker.send({
      type: "add_order",
      params: { symbol: "AAPL-USD", side: "BUY", order_type: "MARKET", order_time_in_force: "IOC", quantity: 2, price: 0 }
    })
    const { order_response: ack } = yield* taker.take("order_response")
    assert.strictEqual(ack.status, "ACK")
    const { fill_response: fill } = yield* taker.take("fill_response")
    assert.strictEqual(fill.price, 200.5)
    const { order_response: filled } = yield* maker.take("order_response")
    assert.strictEqual(filled.status, "FILLED")
    assert.strictEqual(filled.quantity_remaining, 0)
  }).pipe(Effect.provide(layerMemory)))
