import type { OrderResponse } from "@venue/api/trade/FrameSchema"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, gold, limit, market, saturday, say, story, told } from "./Story.ts"

/** Orders that must be refused, with their reasons and statuses. */
const refusals: ReadonlyArray<
  readonly [why: string, status: OrderResponse["status"], order: ReturnType<typeof limit>]
> = [
  ["a symbol nobody lists", "BAD_SYMBOL", limit("BUY", 1, 200, { symbol: "MOON-USD" })],
  ["MARKET GTC", "INVALID_TIME_IN_FORCE", market("BUY", 1, { order_time_in_force: "GTC" })],
  ["MARKET FOK", "INVALID_TIME_IN_FORCE", market("BUY", 1, { order_time_in_force: "FOK" })],
  ["ALO IOC", "INVALID_TIME_IN_FORCE", limit("BUY", 1, 199, { order_type: "ALO", order_time_in_force: "IOC" })],
  ["ALO FOK", "INVALID_TIME_IN_FORCE", limit("BUY", 1, 199, { order_type: "ALO", order_time_in_force: "FOK" })],
  ["STOP_MARKET in a request", "INVALID_ORDER_TYPE", limit("BUY", 1, 199, { order_type: "STOP_MARKET" })],
  ["a quantity off the lot", "INVALID_TICK_SIZE_PRECISION_QUANTITY", limit("BUY", 1.0005, 199)],
  ["a quantity of nine decimals", "INVALID_TICK_SIZE_PRECISION_QUANTITY", limit("BUY", 1.000000001, 199)],
  ["too little", "QUANTITY_LESS_THAN_MIN_QUANTITY", limit("BUY", 0.099, 199)],
  ["nothing", "QUANTITY_LESS_THAN_MIN_QUANTITY", limit("BUY", 0, 199)],
  ["less than nothing", "QUANTITY_LESS_THAN_MIN_QUANTITY", limit("BUY", -1, 199)],
  ["too much", "QUANTITY_GREATER_THAN_MAX_QUANTITY", limit("BUY", 100_001, 199)],
  ["a price off the tick", "INVALID_TICK_SIZE_PRECISION_PRICE", limit("BUY", 1, 199.005)],
  ["below the day's bound", "PRICE_LESS_THAN_MIN_PRICE", limit("BUY", 1, 139.99)],
  ["above the day's bound", "PRICE_GREATER_THAN_MAX_PRICE", limit("SELL", 1, 260.01)],
  ["a buy above the band", "PRICE_GREATER_THAN_MAX_PRICE", limit("BUY", 1, 220.01)],
  ["a sell below the band", "PRICE_LESS_THAN_MIN_PRICE", limit("SELL", 1, 179.99)],
  ["a reduce-only order without a position", "REJECTED", limit("SELL", 1, 201, { reduce_only: true })],
  ["more than the account can carry", "FAILED_MARGIN_CHECK", limit("BUY", 6_000, 200)],
  ["more than the position limit", "REJECTED_WOULD_BREACH_MAX_NOTIONAL", limit("BUY", 12_501, 200)]
]

story(
  "responds to a refused order with one order_response that echoes the order without an order id, and sends no ACK",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const client = yield* venue.trade(alice)
      for (const [why, status, order] of refusals) {
        const params = order.params as Record<string, unknown>
        yield* client.send({ ...order, params: { ...params, client_order_id: why } })
        yield* venue.settle
        const frames = yield* client.drain
        assert.deepEqual(told(frames), [status], why)
        const { update_time: _, ...refusal } = frames[0]!.order_response!
        assert.deepEqual(
          refusal as object,
          {
            order_id: "",
            symbol: params["symbol"],
            status,
            quantity: params["quantity"],
            price: params["price"],
            take_profit: 0,
            stop_loss: 0,
            side: params["side"],
            type: params["order_type"],
            time_in_force: params["order_time_in_force"],
            user_id: alice.userId,
            client_order_id: why,
            quantity_remaining: params["quantity"],
            trade_id: null
          },
          why
        )
      }
    })
)

story("rule 1.5: refuses an order below 10 USD unless it is reduce-only", (venue) =>
  Effect.gen(function* () {
    yield* venue.price("NATGAS-USD", 3)
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.send(limit("BUY", 3, 3, { symbol: "NATGAS-USD" }))
    yield* client.send(limit("BUY", 3.34, 3, { symbol: "NATGAS-USD" }))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["REJECTED_LESS_THAN_MIN_NOTIONAL", "ACK"])
  })
)

story("rule 5.1: accepts and rests a sell above the band and a buy below the band", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.send(limit("SELL", 1, 260))
    yield* client.send(limit("BUY", 1, 140))
    yield* client.send(limit("SELL", 1, 180))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK", "ACK", "ACK"])
  })
)

story("rule 5.3: moves the price bands with the external price, but not the day's price bounds", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* venue.price(aapl, 230)
    yield* client.send(limit("BUY", 1, 253))
    yield* client.send(limit("BUY", 1, 253.01))
    yield* client.send(limit("SELL", 1, 206.99))
    yield* client.send(limit("SELL", 1, 260.01))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), [
      "ACK",
      "PRICE_GREATER_THAN_MAX_PRICE",
      "PRICE_LESS_THAN_MIN_PRICE",
      "PRICE_GREATER_THAN_MAX_PRICE"
    ])
  })
)

story(
  "rule 5.2, rule 6.3: at the weekend, applies a price band of 5 % and a tenth of the position limit",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.sendAll([
        limit("BUY", 1, 210),
        limit("BUY", 1, 210.01),
        limit("SELL", 1, 189.99),
        limit("BUY", 1_251, 200),
        limit("BUY", 1_190, 200)
      ])
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), [
        "ACK",
        "PRICE_GREATER_THAN_MAX_PRICE",
        "PRICE_LESS_THAN_MIN_PRICE",
        "REJECTED_WOULD_BREACH_MAX_NOTIONAL",
        "ACK"
      ])
    }),
  saturday
)

story(
  "rule 6.6: caps a symbol's open interest at ten position limits",
  (venue) =>
    Effect.gen(function* () {
      // At the weekend, the limit is 250,000 USD, which is 1,250 at 200.
      for (let pair = 0; pair < 10; pair++) {
        const seller = yield* venue.trade(yield* venue.user(`seller ${pair}`), [])
        const buyer = yield* venue.trade(yield* venue.user(`buyer ${pair}`))
        yield* seller.send(limit("SELL", 1_250, 200))
        yield* venue.settle
        yield* buyer.send(limit("BUY", 1_250, 200))
        yield* venue.settle
        assert.deepEqual(told(yield* buyer.drain), ["ACK", "fill_response", "FILLED"])
      }
      const late = yield* venue.trade(yield* venue.user("late"))
      yield* late.send(limit("BUY", 1, 200))
      yield* venue.settle
      assert.deepEqual(told(yield* late.drain), ["REJECTED_OPEN_INTEREST_LIMIT"])
    }),
  saturday
)

story("rule 1.4, rule 1.5: accepts a reduce-only order below the minimum quantity and value", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.sendAll([limit("SELL", 0.12, 200), limit("BUY", 1, 199)])
    yield* venue.settle
    yield* client.sendAll([market("BUY", 0.12), market("SELL", 0.02), market("SELL", 0.02, { reduce_only: true })])
    yield* venue.settle
    const frames = yield* client.drain
    assert.deepEqual(told(frames), [
      "ACK",
      "fill_response",
      "FILLED",
      "QUANTITY_LESS_THAN_MIN_QUANTITY",
      "ACK",
      "fill_response",
      "FILLED"
    ])
  })
)

story(
  "rule 1.7: refuses any order on an unpriced symbol as closed, whatever its other faults, but processes cancels",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.send(limit("BUY", 1, 3400, { symbol: gold }))
      yield* client.send(limit("BUY", 1e-9, -1, { symbol: gold, order_type: "ALO", order_time_in_force: "FOK" }))
      yield* client.send(say("close_position", { symbol: gold, client_order_id: "flat" }))
      yield* client.send({
        type: "cancel_order",
        params: { symbol: gold, order_id: "x", cancel_order_id_type: "order_id" }
      })
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), [
        "REJECTED_MARKET_CLOSED",
        "REJECTED_MARKET_CLOSED",
        "REJECTED_MARKET_CLOSED",
        "NO_SUCH_ORDER"
      ])
      yield* venue.price(gold, 3400)
      yield* client.send(limit("BUY", 1, 3400, { symbol: gold }))
      assert.strictEqual((yield* client.take("order_response")).order_response.status, "ACK")
    })
)

story("rule 6.8: caps open orders at 200 per symbol", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (let i = 0; i < 201; i++) yield* client.send(limit("BUY", 0.1, 190))
    yield* venue.settle
    const statuses = told(yield* client.drain)
    assert.deepEqual(new Set(statuses.slice(0, 200)), new Set(["ACK"]))
    assert.deepEqual(statuses.slice(200), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    // An order that cannot rest does not count towards the limit.
    yield* client.send(market("BUY", 0.1))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK", "IOC_CANCELLED"])
  })
)

story("rule 4.14: checks the price before the position limit, and the position limit before margin", (venue) =>
  Effect.gen(function* () {
    const poor = yield* venue.trade(yield* venue.user("poor", 100))
    yield* poor.send(limit("BUY", 20_000, 200))
    yield* poor.send(limit("BUY", 20_000, 221))
    yield* poor.send(limit("BUY", 20_000, 221.001))
    yield* poor.send(limit("BUY", 200_000, 221.001))
    yield* poor.send(limit("BUY", 200_000, 221.001, { order_type: "ALO", order_time_in_force: "FOK" }))
    yield* venue.settle
    assert.deepEqual(told(yield* poor.drain), [
      "REJECTED_WOULD_BREACH_MAX_NOTIONAL",
      "PRICE_GREATER_THAN_MAX_PRICE",
      "INVALID_TICK_SIZE_PRECISION_PRICE",
      "QUANTITY_GREATER_THAN_MAX_QUANTITY",
      "INVALID_TIME_IN_FORCE"
    ])
  })
)

story("rule 9.1: allows an account in liquidation only to reduce its risk until its equity has recovered", (venue) =>
  Effect.gen(function* () {
    const bob = yield* venue.trade(yield* venue.user("bob", 1_000_000), [])
    yield* bob.send(limit("SELL", 50, 200))
    yield* venue.settle
    // Fees of 10 leave 1,100.
    const alice = yield* venue.trade(yield* venue.user("alice", 1_110))
    yield* alice.send(limit("BUY", 50, 200))
    yield* venue.settle
    // No bid exists at 185.78 or above, so the account stays in liquidation.
    yield* bob.sendAll([limit("BUY", 60, 185), limit("SELL", 60, 191)])
    yield* venue.price(aapl, 190)
    yield* venue.settle
    yield* alice.drain
    yield* alice.sendAll([limit("BUY", 1, 190), limit("BUY", 0.0001, 190), market("BUY", 1)])
    yield* alice.sendAll([limit("SELL", 5, 195), limit("SELL", 5, 195, { reduce_only: true })])
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), [
      "USER_IN_LIQUIDATION",
      "USER_IN_LIQUIDATION",
      "USER_IN_LIQUIDATION",
      "ACK",
      "ACK"
    ])
    yield* venue.price(aapl, 199)
    yield* bob.sendAll([say("cancel_all_orders"), limit("BUY", 60, 198), limit("SELL", 60, 199.5)])
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    yield* alice.drain
    yield* alice.send(limit("BUY", 0.1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["ACK"])
  })
)

story("I27: holds margin when an order is sent, so that concurrent orders cannot use the same money", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice", 1_000))
    // Each order needs 200 of margin plus the taker's fee.
    for (let i = 0; i < 6; i++) yield* client.send(limit("BUY", 10, 190))
    yield* venue.settle
    const frames = yield* client.drain
    assert.deepEqual(told(frames), ["ACK", "ACK", "ACK", "ACK", "ACK", "FAILED_MARGIN_CHECK"])
    yield* client.send({
      type: "cancel_order",
      params: { symbol: aapl, order_id: frames[0]!.order_response!.order_id, cancel_order_id_type: "order_id" }
    })
    // The cancel is not recorded yet, so its order's margin is still held.
    yield* client.send(limit("BUY", 10, 190))
    yield* venue.settle
    yield* client.send(limit("BUY", 10, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["CANCELLED", "FAILED_MARGIN_CHECK", "ACK"])
  })
)

story("sends no order frames, not even a refusal, without a subscription to order_responses", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), [])
    yield* client.send(limit("BUY", 1, 190))
    yield* client.send(limit("BUY", 1, 1))
    yield* client.send(limit("BUY", 1, 1, { symbol: "MOON-USD" }))
    yield* venue.settle
    yield* TestClock.adjust("2 seconds")
    assert.deepEqual(yield* client.drain, [])
    yield* client.send(say("get_user_orders"))
    assert.lengthOf((yield* client.take("all_orders_response")).all_orders_response.orders, 1)
  })
)
