/** Numbers with a double's rounding noise count as the nearest tick or lot. Strings must be exact (rule 0.5). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { gold, limit, market, modify, say, story } from "./Story.ts"

story("rule 0.5: rounds a JSON number within 1e-12 of a tick or lot to that tick or lot, in every command", (venue) =>
  Effect.gen(function* () {
    yield* venue.price(gold, 5_900)
    const client = yield* venue.trade(yield* venue.user("alice", 1_000_000))
    const other = yield* venue.trade(yield* venue.user("bob", 1_000_000), [])
    const order = (params: object) => limit("BUY", 1, 5_900, { symbol: gold, ...params })
    yield* client.send(order({ price: 59_174 * 0.1, quantity: 0.1 + 0.2 }))
    const { order_response: placed } = yield* client.take("order_response")
    assert.deepInclude(placed, { status: "ACK", price: 5_917.4, quantity: 0.3 })
    yield* client.send(modify(placed, { price: 59_173 * 0.1, quantity: 0.7 + 0.1 }))
    const { order_response: modified } = yield* client.take("order_response")
    assert.deepInclude(modified, { status: "MODIFIED", price: 5_917.3, quantity: 0.8 })
    yield* client.send(order({ price: 58_001 * 0.1, take_profit: 59_174 * 0.1, stop_loss: 57_003 * 0.1 }))
    const { order_response: bracketed } = yield* client.take("order_response")
    assert.deepInclude(bracketed, { status: "ACK", price: 5_800.1, take_profit: 5_917.4, stop_loss: 5_700.3 })
    yield* client.send(say("preview_order", order({ price: 59_174 * 0.1 }).params))
    const { preview_response: preview } = yield* client.take("preview_response")
    assert.deepInclude(preview, { refusal: null, price: 5_917.4 })
    const twap = { symbol: gold, side: "BUY", num_orders: 3, order_interval_secs: 30, reduce_only: false }
    yield* client.send(say("add_twap", { ...twap, total_quantity: 0.1 + 0.2, worst_price: 59_174 * 0.1 }))
    const { twap_response: added } = yield* client.take("twap_response")
    assert.deepInclude(added, { total_quantity: 0.3, worst_price: 5_917.4 })
    // Opens a position with a stop that closes it.
    yield* other.send(order({ side: "SELL", price: 5_901, quantity: 2 }))
    yield* venue.settle
    yield* client.send(market("BUY", 2, { symbol: gold }))
    yield* venue.settle
    yield* client.drain
    const stop = { symbol: gold, side: "SELL", order_type: "STOP_LOSS", order_time_in_force: "GTC" }
    yield* client.send(say("add_order", { ...stop, price: 58_003 * 0.1, quantity: 0.1 + 0.2 }))
    const { order_response: stopped } = yield* client.take("order_response")
    assert.deepInclude(stopped, { status: "ACK", price: 5_800.3, quantity: 0.3 })
    const change = { symbol: gold, stop_order_id: stopped.order_id, price: 58_007 * 0.1, quantity: 0.7 + 0.1 }
    yield* client.send(say("modify_stop_order", change))
    const { order_response: moved } = yield* client.take("order_response")
    assert.deepInclude(moved, { status: "MODIFIED", price: 5_800.7, quantity: 0.8 })
  })
)

story(
  "rule 0.5: reads a decimal string exactly, and refuses a number more than 1e-12 away from a tick or lot",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      const statusOf = (params: object) =>
        Effect.andThen(
          client.send(limit("BUY", 1, 199, params)),
          Effect.map(client.take("order_response"), ({ order_response: row }) => row.status)
        )
      assert.strictEqual(yield* statusOf({ price: "199.00000000000003" }), "INVALID_TICK_SIZE_PRECISION_PRICE")
      assert.strictEqual(yield* statusOf({ price: 199.00000000000003 }), "ACK")
      assert.strictEqual(yield* statusOf({ quantity: "1.0000000000000002" }), "INVALID_TICK_SIZE_PRECISION_QUANTITY")
      assert.strictEqual(yield* statusOf({ quantity: 1.0000000000000002 }), "ACK")
      assert.strictEqual(yield* statusOf({ price: 199.000000001 }), "INVALID_TICK_SIZE_PRECISION_PRICE")
      assert.strictEqual(yield* statusOf({ price: "199.01", quantity: "1.001" }), "ACK")
      // Within the same command, the number has rounding noise and the string is exact.
      assert.strictEqual(yield* statusOf({ price: "199", quantity: 0.1 + 0.2 }), "ACK")
    })
)
