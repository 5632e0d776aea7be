/** Stops as a trader sees them (rule 15). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { TestVenue } from "@venue/testing/TestVenue"
import { aapl, cancel, limit, market, modify, say, story, told } from "./Story.ts"

const stop = (order_type: "STOP_LOSS" | "TAKE_PROFIT", quantity: number, price: number, more: object = {}) =>
  limit("SELL", quantity, price, { order_type, ...more })

/** Alice has bought five at 200, and the book is empty. */
const five = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const user = yield* venue.user("alice")
  const alice = yield* venue.trade(user)
  const bob = yield* venue.trade(yield* venue.user("bob"), [])
  yield* bob.send(limit("SELL", 5, 200))
  yield* venue.settle
  yield* alice.send(market("BUY", 5))
  yield* venue.settle
  yield* alice.drain
  return { user, alice, bob }
})

story(
  "rule 15.3: acknowledges a stop loss, fires it at the mark, and sells with a STOP_MARKET order under the stop's ids",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* five(venue)
      yield* alice.send(stop("STOP_LOSS", 5, 195, { client_order_id: "sl-44" }))
      const { order_response: placed } = yield* alice.take("order_response")
      assert.deepInclude(placed, {
        status: "ACK",
        type: "STOP_LOSS",
        time_in_force: "GTC",
        price: 195,
        quantity: 5,
        quantity_remaining: 5,
        client_order_id: "sl-44",
        reduce_only: true
      })
      yield* bob.send(limit("BUY", 3, 194.5))
      yield* venue.price(aapl, 195.01)
      yield* venue.settle
      assert.deepEqual(yield* alice.drain, [])
      yield* venue.price(aapl, 194.99)
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED"])
      for (const { order_response: order } of [frames[0]!, frames[2]!, frames[3]!]) {
        const { order_id } = placed
        assert.deepInclude(order, { order_id, client_order_id: "sl-44", type: "STOP_MARKET", time_in_force: "IOC" })
      }
      assert.deepInclude(frames[1]!.fill_response, { price: 194.5, quantity: 3, order_type: "STOP_MARKET" })
      assert.deepInclude(frames[3]!.order_response, { quantity_remaining: 2, price: 195 })
    })
)

story("rule 15.2: refuses a stop without a position or larger than the position", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* five(venue)
    yield* alice.sendAll([
      stop("STOP_LOSS", 5.001, 195),
      stop("STOP_LOSS", 5, 195, { side: "BUY" }),
      stop("STOP_LOSS", 5, 195.001),
      stop("STOP_LOSS", 5.0001, 195),
      limit("SELL", 5, 195, { order_type: "STOP_MARKET" }),
      // The price band and the daily bounds do not limit a stop's price.
      stop("TAKE_PROFIT", 5, 900),
      stop("STOP_LOSS", 0.001, 1)
    ])
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), [
      "REJECTED",
      "REJECTED",
      "INVALID_TICK_SIZE_PRECISION_PRICE",
      "INVALID_TICK_SIZE_PRECISION_QUANTITY",
      "INVALID_ORDER_TYPE",
      "ACK",
      "ACK"
    ])
  })
)

story(
  "rule 15.6: reduces stops with the position, ends them when it closes, and lists them as open orders until then",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* five(venue)
      yield* alice.sendAll([stop("STOP_LOSS", 5, 195), stop("TAKE_PROFIT", 2, 210), limit("SELL", 1, 220)])
      yield* venue.settle
      yield* alice.drain
      yield* bob.send(limit("BUY", 9, 200))
      yield* alice.send(market("SELL", 1))
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "MODIFIED"])
      assert.deepInclude(frames[3]!.order_response, { type: "STOP_LOSS", quantity: 4, quantity_remaining: 4 })
      yield* alice.send(say("get_user_orders"))
      const { orders } = (yield* alice.take("all_orders_response")).all_orders_response
      assert.deepEqual(
        orders.map(({ quantity, status, type }) => [type, quantity, status]),
        [
          ["LIMIT", 1, "ACK"],
          ["TAKE_PROFIT", 2, "ACK"],
          ["STOP_LOSS", 4, "MODIFIED"]
        ]
      )
      yield* alice.send(say("close_position", { symbol: aapl }))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["ACK", "fill_response", "FILLED", "CANCELLED", "CANCELLED"])
    })
)

story(
  "rule 15.7: cancel_order and get_order find a stand-alone stop by client order id, but not a stop attached to an order",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* five(venue)
      const stopIds = { client_order_id: "mine" }
      yield* alice.send(stop("STOP_LOSS", 2, 195, stopIds))
      yield* alice.send(stop("TAKE_PROFIT", 2, 210, stopIds))
      yield* alice.send(limit("BUY", 1, 190, stopIds))
      yield* alice.send(stop("STOP_LOSS", 1, 194, { client_order_id: "other" }))
      yield* alice.send(limit("BUY", 1, 200, { stop_loss: 196, client_order_id: "parent" }))
      yield* bob.send(limit("SELL", 1, 200))
      yield* venue.settle
      yield* alice.drain
      const getOrder = (id: string) => say("get_order", { symbol: aapl, order_id: id })
      yield* alice.send(getOrder("other"))
      assert.deepInclude((yield* alice.take("order_response")).order_response, { status: "ACK", price: 194 })
      yield* alice.send(getOrder("parent"))
      assert.strictEqual((yield* alice.take("order_response")).order_response.status, "NO_SUCH_ORDER")
      yield* alice.send(cancel("parent", "client_order_id"))
      assert.strictEqual((yield* alice.take("order_response")).order_response.status, "NO_SUCH_ORDER")
      yield* alice.send(cancel("mine", "client_order_id"))
      yield* venue.settle
      const ended = (yield* alice.drain).flatMap(({ order_response: row }) => row ?? [])
      assert.deepEqual(
        ended.map((row) => [row.status, row.type, row.price]),
        [
          ["CANCELLED", "LIMIT", 190],
          ["CANCELLED", "STOP_LOSS", 195],
          ["CANCELLED", "TAKE_PROFIT", 210]
        ]
      )
      yield* alice.send(say("get_user_orders"))
      const { all_orders_response: open } = yield* alice.take("all_orders_response")
      assert.deepEqual(
        open.orders.map((row) => row.client_order_id),
        ["parent", "other"]
      )
    })
)

story("stops hold no margin, and can be modified and cancelled by order id", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* five(venue)
    yield* alice.send(stop("STOP_LOSS", 2, 195, { client_order_id: "mine" }))
    const { order_response: placed } = yield* alice.take("order_response")
    yield* alice.send(modify(placed, { price: 196, quantity: 5 }))
    yield* alice.send(modify(placed, { quantity: 6 }))
    yield* alice.send(cancel("another", "client_order_id"))
    yield* alice.send(cancel(placed.order_id))
    yield* alice.send(cancel(placed.order_id))
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames), ["MODIFIED", "REJECTED", "NO_SUCH_ORDER", "CANCELLED", "NO_SUCH_ORDER"])
    assert.deepInclude(frames[0]!.order_response, { price: 196, quantity: 5, type: "STOP_LOSS" })
  })
)

story("rule 15.3: fires a stop whose price is already reached within a second, without a price change", (venue) =>
  Effect.gen(function* () {
    const { alice, bob } = yield* five(venue)
    yield* bob.send(limit("BUY", 5, 199))
    yield* TestClock.adjust("10 minutes")
    yield* venue.price(aapl, 200)
    yield* alice.send(stop("STOP_LOSS", 5, 201))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["ACK", "ACK", "fill_response", "FILLED"])
  })
)

story(
  "acknowledges cancel_stop_order without a symbol before sending its result, and responds InvalidOrder to an unknown stop",
  (venue) =>
    Effect.gen(function* () {
      const { alice } = yield* five(venue)
      yield* alice.send(say("subscribe", { channels: ["stop_orders"] }))
      yield* alice.send(stop("STOP_LOSS", 5, 195, { client_order_id: "sl-44" }))
      yield* venue.settle
      const [, told_, acked] = yield* alice.drain
      const placed = acked!.order_response!
      assert.deepEqual(told_!.stop_order_response, {
        stop_order_id: placed.order_id,
        user_id: placed.user_id,
        symbol: aapl,
        price: 195,
        quantity: 5,
        direction: "SELL",
        stop_order_type: "STOP_LOSS",
        client_order_id: "sl-44",
        update_time: new Date(placed.update_time * 1_000).toISOString()
      })
      yield* alice.send(say("cancel_stop_order", { stop_order_id: placed.order_id }))
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ack", "stop_order_response", "CANCELLED"])
      assert.deepInclude(frames[1]!.stop_order_response, { stop_order_id: placed.order_id, quantity: 0 })
      const { order_id } = placed
      assert.deepInclude(frames[2]!.order_response, { order_id, type: "STOP_LOSS", quantity: 0, quantity_remaining: 0 })
      yield* alice.send(say("cancel_stop_order", { stop_order_id: placed.order_id }))
      assert.strictEqual((yield* alice.take("err")).err.error_code, "InvalidOrder")
    })
)

story(
  "acknowledges modify_stop_order before its result, and responds InvalidOrder to a mismatch or an excessive quantity",
  (venue) =>
    Effect.gen(function* () {
      const { alice } = yield* five(venue)
      yield* alice.send(stop("STOP_LOSS", 2, 195))
      const { order_id: stop_order_id } = (yield* alice.take("order_response")).order_response
      const change = (more: object) => say("modify_stop_order", { stop_order_id, symbol: aapl, ...more })
      yield* alice.send(change({ price: 196, quantity: 3, side: "SELL", order_type: "STOP_LOSS" }))
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ack", "MODIFIED"])
      assert.deepInclude(frames[1]!.order_response, { order_id: stop_order_id, price: 196, quantity: 3 })
      for (const wrong of [
        { price: 197, side: "BUY" },
        { price: 197, order_type: "TAKE_PROFIT" },
        { price: 197, symbol: "GOLD-USD" },
        { quantity: 6 },
        { price: 196.001 }
      ]) {
        yield* alice.send(change(wrong))
        yield* venue.settle
        const answer = yield* alice.drain
        assert.deepEqual(told(answer), ["InvalidOrder"], JSON.stringify(wrong))
      }
    })
)

story("rule 15.5: notifies subscribers of stop_orders when a stop fires", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* five(venue)
    yield* alice.send(say("subscribe", { channels: ["stop_orders"] }))
    yield* alice.send(stop("TAKE_PROFIT", 5, 210))
    yield* venue.settle
    yield* alice.drain
    yield* venue.price(aapl, 211)
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames), ["stop_order_response", "ACK", "IOC_CANCELLED"])
    assert.deepInclude(frames[0]!.stop_order_response, { stop_order_type: "TAKE_PROFIT", quantity: 0 })
  })
)

story("cancel_all_orders cancels stops, but a disconnect does not", (venue) =>
  Effect.gen(function* () {
    const { alice, user } = yield* five(venue)
    const other = yield* venue.trade(user)
    yield* other.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
    yield* other.sendAll([stop("STOP_LOSS", 5, 195), limit("SELL", 1, 220)])
    yield* venue.settle
    yield* other.close
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["ACK", "ACK", "CANCELLED"])
    yield* alice.send(say("cancel_all_orders"))
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames), ["ack", "CANCELLED"])
    assert.deepInclude(frames[1]!.order_response, { type: "STOP_LOSS", quantity: 0 })
  })
)

story(
  "rule 15.8: a bracket order's fills create and enlarge its two stops, and when one stop ends, so does the other",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.trade(yield* venue.user("alice"))
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* alice.send(say("subscribe", { channels: ["stop_orders"] }))
      yield* alice.send(limit("BUY", 5, 200, { take_profit: 210, stop_loss: 195, client_order_id: "in" }))
      yield* venue.settle
      const [, parent] = yield* alice.drain
      assert.deepInclude(parent!.order_response, { status: "ACK", take_profit: 210, stop_loss: 195 })
      yield* bob.send(limit("SELL", 2, 200))
      yield* venue.settle
      const first = yield* alice.drain
      const pair = ["stop_order_response", "ACK", "stop_order_response", "ACK"]
      assert.deepEqual(told(first), ["fill_response", "FILLED", ...pair])
      assert.deepInclude(first[0]!.fill_response, { take_profit: 210, stop_loss: 195 })
      const stops = first.flatMap((frame) => frame.stop_order_response ?? [])
      assert.deepEqual(
        stops.map((each) => [each.stop_order_type, each.direction, each.price, each.quantity, each.client_order_id]),
        [
          ["TAKE_PROFIT", "SELL", 210, 2, "in"],
          ["STOP_LOSS", "SELL", 195, 2, "in"]
        ]
      )
      yield* bob.send(limit("SELL", 3, 200))
      yield* venue.settle
      const second = yield* alice.drain
      assert.deepEqual(
        second.flatMap((frame) => frame.stop_order_response ?? []).map((each) => [each.stop_order_id, each.quantity]),
        stops.map((each) => [each.stop_order_id, 5])
      )
      yield* bob.send(limit("BUY", 5, 194.9))
      yield* venue.settle
      yield* venue.price(aapl, 194.99)
      yield* venue.settle
      const frames = (yield* alice.drain).filter((frame) => frame.stop_order_response === undefined)
      assert.deepEqual(told(frames), ["ACK", "CANCELLED", "fill_response", "FILLED"])
      assert.deepInclude(frames[1]!.order_response, { type: "TAKE_PROFIT", order_id: stops[0]!.stop_order_id })
      assert.deepInclude(frames[2]!.fill_response, { price: 194.9, quantity: 5, order_type: "STOP_MARKET" })
    })
)

story(
  "rule 15.8: requires take_profit on the profit side of the order's price and stop_loss on the loss side; both can change",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.trade(yield* venue.user("alice"))
      yield* alice.sendAll([
        limit("BUY", 1, 190, { take_profit: 190 }),
        limit("BUY", 1, 190, { stop_loss: 190 }),
        limit("SELL", 1, 210, { take_profit: 211 }),
        limit("SELL", 1, 210, { stop_loss: 209 }),
        // A MARKET order's stops are checked against the mark of 200.
        market("BUY", 1, { take_profit: 200 }),
        market("BUY", 1, { stop_loss: 200 }),
        limit("BUY", 1, 190, { take_profit: 191.001 }),
        limit("BUY", 1, 190, { stop_loss: 180, take_profit: 0 })
      ])
      yield* venue.settle
      const frames = yield* alice.drain
      const [profit, loss] = ["INVALID_TAKEPROFIT_PRICE", "INVALID_STOPLOSS_PRICE"]
      assert.deepEqual(told(frames), [profit, loss, profit, loss, profit, loss, profit, "ACK"])
      const order = frames.at(-1)!.order_response!
      assert.deepInclude(order, { take_profit: 0, stop_loss: 180 })
      const changed: ReadonlyArray<[object, "MODIFIED" | "INVALID_TAKEPROFIT_PRICE", number, number]> = [
        [{ take_profit: 200 }, "MODIFIED", 200, 180],
        [{ price: 189 }, "MODIFIED", 200, 180],
        [{ take_profit: 188 }, "INVALID_TAKEPROFIT_PRICE", 0, 0],
        [{ stop_loss: 0, take_profit: null }, "MODIFIED", 200, 0]
      ]
      for (const [changes, status, take_profit, stop_loss] of changed) {
        yield* alice.send(modify(order, changes))
        yield* venue.settle
        const [answer] = yield* alice.drain
        assert.deepInclude(answer!.order_response, { status, take_profit, stop_loss })
      }
    })
)
