import type { OrderResponse } from "@venue/api/trade/FrameSchema"
import type { Client } from "@venue/testing/Client"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { gold, limit, modify, say, story, told } from "./Story.ts"

/** Rests an order and returns its `ACK`. */
const rest = (client: Client, order: ReturnType<typeof limit>) =>
  Effect.andThen(
    client.send(order),
    Effect.map(client.take("order_response"), (frame) => frame.order_response)
  )

const answers = (venue: TestVenue["Service"], client: Client, message: object) =>
  client.send(message).pipe(Effect.andThen(venue.settle), Effect.andThen(client.drain))

story(
  "rule 4.7: sends the order's whole new state in MODIFIED, with the same ids and with omitted fields unchanged",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      const order = yield* rest(client, limit("BUY", 2, 190, { client_order_id: "mine" }))
      const expected = { ...order, status: "MODIFIED" }
      const changes = [
        [{ price: 191 }, { price: 191 }],
        [
          { quantity: 3, price: 0 },
          { price: 191, quantity: 3, quantity_remaining: 3 }
        ],
        [{ quantity: 0 }, { price: 191, quantity: 3, quantity_remaining: 3 }],
        [
          { quantity: 1, price: 192, take_profit: 0, stop_loss: null },
          { price: 192, quantity: 1, quantity_remaining: 1 }
        ]
      ] as const
      for (const [change, effect] of changes) {
        const [frame] = yield* answers(venue, client, modify(order, change))
        assert.deepEqual(frame!.order_response, { ...expected, ...effect } as OrderResponse)
      }
      const [open] = yield* answers(venue, client, say("get_user_orders"))
      assert.deepInclude(open!.all_orders_response!.orders[0], {
        status: "MODIFIED",
        price: 192,
        order_id: order.order_id
      })
    })
)

story(
  "rule 4.7: responds CANNOT_MODIFY_NO_SUCH_ORDER to an unknown order or a changed symbol, side, type or reduce_only",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const alice = yield* venue.user("alice")
      const client = yield* venue.trade(alice)
      const bob = yield* venue.trade(yield* venue.user("bob"))
      const order = yield* rest(client, limit("BUY", 2, 190, { client_order_id: "mine" }))
      const others = [
        { order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77" },
        { order_id: "mine" },
        { symbol: gold },
        { side: "SELL" },
        { order_type: "ALO" },
        { reduce_only: true },
        { reduce_only: 1 }
      ]
      for (const other of others) {
        const message = modify(order, { price: 191, ...other })
        const [frame] = yield* answers(venue, client, message)
        assert.deepInclude(
          frame!.order_response,
          {
            status: "CANNOT_MODIFY_NO_SUCH_ORDER",
            order_id: message.params.order_id,
            symbol: message.params.symbol,
            price: 191,
            user_id: alice.userId
          },
          JSON.stringify(other)
        )
      }
      assert.deepEqual(told(yield* answers(venue, bob, modify(order, { price: 191 }))), ["CANNOT_MODIFY_NO_SUCH_ORDER"])
      assert.deepEqual(told(yield* answers(venue, client, modify(order, { reduce_only: 0, price: 191 }))), ["MODIFIED"])
    })
)

story("rule 4.7: responds to a modify or cancel on an unlisted symbol as if the order were unknown", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const order = yield* rest(client, limit("BUY", 2, 190))
    assert.deepEqual(told(yield* answers(venue, client, modify(order, { symbol: "MOON-USD" }))), [
      "CANNOT_MODIFY_NO_SUCH_ORDER"
    ])
    const cancel = say("cancel_order", {
      symbol: "MOON-USD",
      order_id: order.order_id,
      cancel_order_id_type: "order_id"
    })
    const [frame] = yield* answers(venue, client, cancel)
    assert.deepInclude(frame!.order_response, { status: "NO_SUCH_ORDER", symbol: "MOON-USD", order_id: order.order_id })
  })
)

story("rule 4.7: responds InvalidJSONFormat and echoes the request if reduce_only or order_type is absent", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const order = yield* rest(client, limit("BUY", 2, 190))
    for (const field of ["reduce_only", "order_type", "side", "order_id", "symbol"]) {
      const message = modify(order, { price: 191, [field]: undefined })
      const [frame] = yield* answers(venue, client, message)
      assert.strictEqual(frame!.err?.error_code, "InvalidJSONFormat", field)
      assert.include(frame!.err!.message, field)
      assert.deepEqual(frame!.err!.incoming_message, JSON.parse(JSON.stringify(message)))
    }
  })
)

story("rule 4.7: rejects every modify of a partly filled order", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
    const taker = yield* venue.trade(yield* venue.user("bob"))
    const order = yield* rest(client, limit("SELL", 3, 200))
    yield* taker.send(limit("BUY", 1, 200))
    yield* client.take("order_response")
    for (const change of [{ price: 201 }, { price: 201.001 }, { quantity: 2 }, { quantity: 2.00001 }]) {
      assert.deepEqual(told(yield* answers(venue, client, modify(order, change))), ["CANNOT_MODIFY_PARTIAL_FILL"])
    }
  })
)

story("rule 4.7: leaves an ALO order unchanged if it would cross at its new price", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const other = yield* venue.trade(yield* venue.user("bob"))
    const order = yield* rest(client, limit("BUY", 2, 199, { order_type: "ALO" }))
    yield* other.send(limit("SELL", 1, 200))
    yield* venue.settle
    assert.deepEqual(told(yield* answers(venue, client, modify(order, { price: 200 }))), [
      "CANNOT_MODIFY_ALO_WOULD_CROSS"
    ])
    const [open] = yield* answers(venue, client, say("get_user_orders"))
    assert.deepInclude(open!.all_orders_response!.orders[0], { status: "ACK", price: 199, quantity: 2 })
    assert.deepEqual(told(yield* answers(venue, client, modify(order, { price: 199.99 }))), ["MODIFIED"])
  })
)

story(
  "rule 4.7: applies a new order's checks to a modify, and leaves the resting order unchanged on a refusal",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice", 1_000))
      const order = yield* rest(client, limit("BUY", 10, 190))
      const refusals = [
        [{ price: 190.001 }, "INVALID_TICK_SIZE_PRECISION_PRICE"],
        [{ quantity: 10.0001 }, "INVALID_TICK_SIZE_PRECISION_QUANTITY"],
        [{ quantity: 0.05 }, "QUANTITY_LESS_THAN_MIN_QUANTITY"],
        [{ quantity: 100_000.5 }, "QUANTITY_GREATER_THAN_MAX_QUANTITY"],
        [{ price: 220.5 }, "PRICE_GREATER_THAN_MAX_PRICE"],
        [{ price: 139 }, "PRICE_LESS_THAN_MIN_PRICE"],
        [{ quantity: 60 }, "FAILED_MARGIN_CHECK"],
        [{ quantity: 20_000 }, "REJECTED_WOULD_BREACH_MAX_NOTIONAL"]
      ] as const
      for (const [change, status] of refusals) {
        const [frame] = yield* answers(venue, client, modify(order, change))
        assert.deepInclude(frame!.order_response, { status, order_id: order.order_id, ...change })
      }
      const [open] = yield* answers(venue, client, say("get_user_orders"))
      assert.deepInclude(open!.all_orders_response!.orders[0], { status: "ACK", price: 190, quantity: 10 })
      // The refused order's margin is available again.
      assert.deepEqual(told(yield* answers(venue, client, modify(order, { quantity: 50 }))), ["MODIFIED"])
    })
)

story(
  "rule 4.7: keeps the queue position of a reduced order, and moves an enlarged or repriced order to the back",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.trade(yield* venue.user("alice"))
      const bob = yield* venue.trade(yield* venue.user("bob"))
      const taker = yield* venue.trade(yield* venue.user("carol"), [])
      const order = yield* rest(alice, limit("SELL", 3, 200))
      yield* rest(bob, limit("SELL", 3, 200))
      yield* answers(venue, alice, modify(order, { quantity: 2 }))
      yield* taker.send(limit("BUY", 1, 200))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["fill_response", "FILLED"])
      assert.deepEqual(yield* bob.drain, [])
      const second = yield* rest(alice, limit("SELL", 3, 199.5))
      yield* answers(venue, alice, modify(second, { price: 200 }))
      yield* taker.send(limit("BUY", 4, 200))
      yield* venue.settle
      assert.deepEqual(told(yield* bob.drain), ["fill_response", "FILLED"])
      assert.lengthOf(yield* alice.drain, 2)
    })
)

story("rule 4.7: sends MODIFIED and then trades immediately if the new price crosses", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"))
    yield* rest(bob, limit("SELL", 2, 200))
    const order = yield* rest(alice, limit("BUY", 2, 190))
    const frames = yield* answers(venue, alice, modify(order, { price: 200, quantity: 3 }))
    assert.deepEqual(told(frames), ["MODIFIED", "fill_response", "FILLED"])
    assert.deepInclude(frames[2]!.order_response, { order_id: order.order_id, quantity: 3, quantity_remaining: 1 })
  })
)
