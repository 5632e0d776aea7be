import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, cancel, gold, limit, market, say, story, told } from "./Story.ts"

story(
  "rule 4.15: cancels one order by order id, but all orders on a symbol by client order id, oldest first",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const client = yield* venue.trade(yield* venue.user("alice"))
      for (const price of [190, 191, 192]) yield* client.send(limit("BUY", 1, price, { client_order_id: "same" }))
      yield* client.send(limit("BUY", 1, 3400, { symbol: gold, client_order_id: "same" }))
      yield* venue.settle
      const [first] = yield* client.drain
      yield* client.send(cancel(first!.order_response!.order_id))
      const { order_response: cancelled } = yield* client.take("order_response")
      assert.deepEqual(cancelled, {
        ...first!.order_response!,
        status: "CANCELLED",
        update_time: cancelled.update_time
      })
      yield* client.send(cancel("same", "client_order_id"))
      yield* venue.settle
      const frames = yield* client.drain
      assert.deepEqual(
        frames.map(({ order_response: order }) => [order?.status, order?.price]),
        [
          ["CANCELLED", 191],
          ["CANCELLED", 192]
        ]
      )
    })
)

story("accepts the 2025 form of a cancel, which has the client order id in client_order_id", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.send(limit("BUY", 1, 190, { client_order_id: "old" }))
    yield* client.send(say("cancel_order", { symbol: aapl, client_order_id: "old" }))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK", "CANCELLED"])
  })
)

story(
  "rule 4.15: responds to a cancel of an unknown order with NO_SUCH_ORDER, the given id and symbol, and zero quantities",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const client = yield* venue.trade(alice)
      const bob = yield* venue.trade(yield* venue.user("bob"))
      yield* bob.send(limit("BUY", 1, 190))
      const { order_response: foreign } = yield* bob.take("order_response")
      const nothing = {
        symbol: aapl,
        status: "NO_SUCH_ORDER",
        quantity: 0,
        price: 0,
        take_profit: 0,
        stop_loss: 0,
        user_id: alice.userId,
        quantity_remaining: 0,
        trade_id: null
      }
      const asked = [
        [cancel(foreign.order_id), { order_id: foreign.order_id, client_order_id: "" }],
        [cancel("no uuid"), { order_id: "no uuid", client_order_id: "" }],
        [cancel("who", "client_order_id"), { order_id: "", client_order_id: "who" }],
        [
          cancel("0f7b2d96-84ae-4c1d-9b53-7e20a6c8d4f1", "twap_id"),
          {
            order_id: "0f7b2d96-84ae-4c1d-9b53-7e20a6c8d4f1",
            client_order_id: ""
          }
        ],
        [cancel("unwind", "client_twap_id"), { order_id: "", client_order_id: "unwind" }]
      ] as const
      for (const [message, ids] of asked) {
        yield* client.send(message)
        const { update_time: _, ...refusal } = (yield* client.take("order_response")).order_response
        assert.deepEqual(refusal as object, { ...nothing, ...ids })
      }
      yield* venue.settle
      assert.deepEqual(yield* bob.drain, [])
    })
)

story("I22, I35: never fills, modifies or cancels an order after it has ended", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"))
    yield* client.send(limit("SELL", 1, 200))
    const { order_response: order } = yield* client.take("order_response")
    yield* client.send(cancel(order.order_id))
    yield* bob.send(market("BUY", 1))
    yield* client.send(cancel(order.order_id))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["CANCELLED", "NO_SUCH_ORDER"])
    assert.deepEqual(told(yield* bob.drain), ["ACK", "IOC_CANCELLED"])
  })
)

story(
  "rule 4.15: first acknowledges cancel_all_orders, then cancels each of the account's orders on every symbol",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const alice = yield* venue.user("alice")
      const accountId = yield* venue.subaccount(alice)
      const client = yield* venue.trade(alice)
      const sub = yield* venue.trade(alice, undefined, { accountId })
      yield* sub.send(limit("BUY", 1, 190))
      yield* client.send(limit("BUY", 1, 190))
      yield* client.send(limit("BUY", 1, 3390, { symbol: gold }))
      yield* client.send(limit("BUY", 1, 191))
      yield* venue.settle
      yield* client.drain
      yield* sub.drain
      yield* client.send(say("cancel_all_orders"))
      yield* venue.settle
      const frames = yield* client.drain
      assert.deepEqual(told(frames), ["ack", "CANCELLED", "CANCELLED", "CANCELLED"])
      assert.deepEqual(frames[0], { ack: { incoming_message: say("cancel_all_orders") }, ack_response: true })
      assert.deepEqual(yield* sub.drain, [])
      yield* client.send(say("cancel_all_orders"))
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["ack"])
    })
)

story(
  "rule 4.15: cancel_all_orders with a symbol cancels only that symbol's orders, and is acknowledged even without orders",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.send(say("cancel_all_orders"))
      yield* client.take("ack")
      yield* client.send(limit("BUY", 1, 190))
      yield* client.send(limit("BUY", 1, 3390, { symbol: gold }))
      yield* client.send(say("cancel_all_orders", { symbol: gold }))
      yield* venue.settle
      const frames = yield* client.drain
      assert.deepEqual(told(frames), ["ACK", "ACK", "ack", "CANCELLED"])
      assert.strictEqual(frames[3]!.order_response!.symbol, gold)
      yield* client.send(say("cancel_all_orders", { symbol: "MOON-USD" }))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidParameter")
    })
)

story(
  "rule 21.4: responds to messages sent after cancel_all_orders only after its cancels, with or without a symbol",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      const other = yield* venue.trade(yield* venue.user("bob"), [])
      const heard = (...sent: ReadonlyArray<object>) =>
        Effect.gen(function* () {
          yield* client.sendAll(sent)
          yield* venue.settle
          return told(yield* client.drain)
        })
      const resting = limit("BUY", 1, 190, { client_order_id: "x" })
      const setLeverage = say("set_user_leverage", { symbol: aapl, leverage: 5 })
      assert.deepEqual(yield* heard(resting, say("cancel_all_orders", { symbol: aapl }), setLeverage), [
        "ACK",
        "ack",
        "CANCELLED",
        "ack"
      ])
      assert.deepEqual(yield* heard(resting, say("cancel_all_orders"), cancel("x", "client_order_id")), [
        "ACK",
        "ack",
        "CANCELLED",
        "NO_SUCH_ORDER"
      ])
      yield* other.send(limit("SELL", 1, 200))
      yield* venue.settle
      assert.deepEqual(yield* heard(resting, say("cancel_all_orders"), limit("BUY", 1, 200)), [
        "ACK",
        "ack",
        "CANCELLED",
        "ACK",
        "fill_response",
        "FILLED"
      ])
    })
)

story("rule 21.4: a query over all symbols reflects commands sent before the query", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.sendAll([limit("BUY", 1, 190, { client_order_id: "x" }), say("get_user_orders")])
    yield* venue.settle
    const frames = yield* client.drain
    assert.strictEqual(told(frames)[0], "ACK")
    const { orders } = frames[1]!.all_orders_response as unknown as {
      readonly orders: ReadonlyArray<{ readonly client_order_id: string }>
    }
    assert.deepEqual(
      orders.map((order) => order.client_order_id),
      ["x"]
    )
    yield* client.sendAll([
      say("cancel_all_orders"),
      say("set_user_leverage", { symbol: aapl, leverage: 5 }),
      say("get_user_leverage")
    ])
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ack", "CANCELLED", "ack", "user_leverage_response"])
  })
)

story("rule 4.12: closes a whole position with a LIMIT IOC order priced 5 % through the mark", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.send(limit("SELL", 3, 200))
    yield* venue.settle
    yield* alice.send(limit("BUY", 3, 200))
    yield* venue.settle
    yield* alice.drain
    yield* bob.send(limit("BUY", 2, 199))
    yield* bob.send(limit("BUY", 2, 150))
    yield* venue.settle
    yield* alice.send(say("close_position", { symbol: aapl, client_order_id: "flat-0931" }))
    yield* venue.settle
    const frames = yield* alice.drain
    assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED"])
    assert.deepInclude(frames[0]!.order_response, {
      side: "SELL",
      type: "LIMIT",
      time_in_force: "IOC",
      quantity: 3,
      price: 190,
      reduce_only: true,
      client_order_id: "flat-0931"
    })
    // Two of the three lots are sold, at a loss of one USD each.
    assert.deepInclude(frames[1]!.fill_response, { price: 199, quantity: 2, realised_pnl: -2, remaining_quantity: 1 })
  })
)

story("rule 4.12: rejects close_position with quantity 0 if there is no position", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.send(say("close_position", { symbol: aapl, client_order_id: "flat" }))
    const { order_response: refused } = yield* client.take("order_response")
    assert.deepInclude(refused, {
      status: "REJECTED",
      order_id: "",
      quantity: 0,
      client_order_id: "flat",
      symbol: aapl
    })
  })
)

story(
  "I33: a reduce-only order never reverses or increases a position, and a resting one shrinks with the position",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.trade(yield* venue.user("alice"))
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* bob.send(limit("SELL", 5, 200))
      yield* venue.settle
      yield* alice.send(limit("BUY", 5, 200))
      yield* venue.settle
      yield* alice.drain
      yield* alice.send(limit("SELL", 4, 205, { reduce_only: true }))
      yield* alice.send(limit("BUY", 1, 190, { reduce_only: true }))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["ACK", "REJECTED"])
      yield* bob.send(limit("BUY", 9, 199))
      yield* venue.settle
      // An order for nine is allowed to fill the whole position of five. The four resting orders are then cut,
      // because no position is left to reduce.
      yield* alice.send(limit("SELL", 9, 199, { reduce_only: true, order_time_in_force: "IOC" }))
      yield* venue.settle
      const frames = yield* alice.drain
      const fill = frames.find((frame) => frame.fill_response !== undefined)!.fill_response!
      assert.strictEqual(fill.quantity, 5)
      assert.include(told(frames), "CANCELLED")
      yield* alice.send(say("get_user_orders"))
      assert.lengthOf((yield* alice.take("all_orders_response")).all_orders_response.orders, 0)
      yield* alice.send(say("close_position", { symbol: aapl }))
      assert.strictEqual((yield* alice.take("order_response")).order_response.status, "REJECTED")
    })
)

story(
  "I33, rule 4.11: after its trades, a reduce-only GTC order rests only the lots that other reduce-only orders leave",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.trade(yield* venue.user("alice"))
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* bob.send(limit("SELL", 5, 200))
      yield* venue.settle
      yield* alice.send(limit("BUY", 5, 200))
      yield* alice.send(limit("SELL", 3, 205, { reduce_only: true, client_order_id: "far" }))
      yield* venue.settle
      yield* bob.send(limit("BUY", 1, 199))
      yield* venue.settle
      yield* alice.drain
      yield* alice.send(limit("SELL", 9, 199, { reduce_only: true, client_order_id: "near" }))
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ACK", "MODIFIED", "fill_response", "FILLED", "MODIFIED"])
      assert.deepInclude(frames[4]!.order_response, { quantity: 2, quantity_remaining: 1, client_order_id: "near" })
      // Resting orders already reduce the whole position of four, so only a crossing reduce-only order is accepted.
      yield* alice.send(limit("SELL", 1, 204, { reduce_only: true }))
      yield* bob.send(limit("BUY", 1, 199))
      yield* bob.send(limit("BUY", 1, 198))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["REJECTED", "fill_response", "FILLED"])
      yield* alice.send(limit("SELL", 3, 198, { reduce_only: true }))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["ACK", "fill_response", "FILLED", "MODIFIED", "CANCELLED"])
      yield* alice.send(say("get_user_orders"))
      const { orders } = (yield* alice.take("all_orders_response")).all_orders_response
      assert.deepEqual(
        orders.map((order) => [order.client_order_id, order.quantity_remaining]),
        [["far", 2]]
      )
    })
)

story(
  "rule 7.6: fills a reduce-only MARKET order up to the bankruptcy price and cancels the remaining quantity",
  (venue) =>
    Effect.gen(function* () {
      // After buying ten units at 200 for a fee of 2, Alice has 260, which exceeds the margin at 190. Each unit can
      // lose 26.
      const alice = yield* venue.trade(yield* venue.user("alice", 262))
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* bob.send(limit("SELL", 10, 200))
      yield* venue.settle
      yield* alice.send(limit("BUY", 10, 200))
      yield* venue.settle
      yield* bob.sendAll([limit("BUY", 4, 174), limit("BUY", 9, 173.99)])
      yield* venue.settle
      yield* venue.price(aapl, 190)
      yield* alice.drain
      yield* alice.send(market("SELL", 10))
      yield* venue.settle
      const frames = yield* alice.drain
      assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "IOC_PARTIALLY_FILLED"])
      assert.deepInclude(frames[1]!.fill_response, { price: 174, quantity: 4 })
      assert.deepInclude(frames[3]!.order_response, { price: 0, quantity_remaining: 6 })
    })
)
