import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { PlaceOrder } from "@venue/domain/Order"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { id } from "../Id.ts"
import { aapl, cancel, friday, gold, limit, market, say, story, told } from "./Story.ts"

story(
  "rule 21.4: responds to accepted and refused commands and queries on one symbol in the order in which they were sent",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.send(limit("BUY", 1, 190, { client_order_id: "one" }))
      yield* client.send(limit("BUY", 1, 190.001, { client_order_id: "two" }))
      yield* client.send(say("get_order", { symbol: aapl, order_id: "one" }))
      yield* client.send(say("set_user_leverage", { symbol: aapl, leverage: 3 }))
      yield* client.send(cancel("one", "client_order_id"))
      yield* client.send(say("get_order", { symbol: aapl, order_id: "one" }))
      yield* client.send(limit("BUY", 1_000_000, 190, { client_order_id: "three" }))
      yield* client.send(say("close_position", { symbol: aapl, client_order_id: "four" }))
      yield* client.send(cancel("nobody"))
      yield* client.send(limit("BUY", 1, 191, { client_order_id: "five" }))
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), [
        "ACK",
        "INVALID_TICK_SIZE_PRECISION_PRICE",
        "ACK",
        "InvalidParameter",
        "CANCELLED",
        "NO_SUCH_ORDER",
        "QUANTITY_GREATER_THAN_MAX_QUANTITY",
        "REJECTED",
        "NO_SUCH_ORDER",
        "ACK"
      ])
    })
)

story(
  "rule 21.4: responds to invalid and forbidden messages in the order in which messages for their symbol were sent",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.sendAll([
        limit("BUY", 1, 190),
        limit("BUY", 1, 190, { quantity: "one" }),
        limit("BUY", 1, 191),
        say("cancel_all_orders"),
        // First message for this symbol.
        limit("BUY", 1, 3_300, { symbol: gold, side: "buy" }),
        limit("BUY", 1, 190, { symbol: "NONE-USD", side: "buy" })
      ])
      yield* venue.settle
      const frames = yield* client.drain
      assert.deepEqual(
        frames.map(
          ({ err, order_response: order }) =>
            order?.status ?? /[A-Z]+-USD/.exec(JSON.stringify(err ?? ""))?.[0] ?? "ack"
        ),
        ["NONE-USD", "ACK", aapl, "ACK", "ack", "CANCELLED", "CANCELLED", gold]
      )
    })
)

story(
  "rule 21.4: responds to a query for one symbol's orders and to a TWAP cancel in the order in which they were sent",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      yield* client.sendAll([
        limit("BUY", 1, 190),
        cancel("unwind", "client_twap_id"),
        say("get_user_orders", { symbol: aapl })
      ])
      yield* venue.settle
      const frames = yield* client.drain
      assert.deepEqual(told(frames), ["ACK", "NO_SUCH_ORDER", "all_orders_response"])
      assert.lengthOf(frames[2]!.all_orders_response!.orders, 1)
    })
)

story(
  "rule 21.4: responds to hundreds of commands on two symbols in the order in which each symbol's commands were sent",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3400)
      const client = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
      for (let i = 0; i < 150; i++) {
        const symbol = i % 3 === 0 ? gold : aapl
        const price = symbol === gold ? 3300 : 190
        yield* client.send(
          i % 5 === 4
            ? say("get_order", { symbol, order_id: `none ${i}` })
            : limit("BUY", i % 7 === 0 ? 0.00001 : 0.2, price, { symbol, client_order_id: `c ${i}` })
        )
      }
      yield* venue.settle
      const answers = (yield* client.drain).map((frame) => frame.order_response!)
      assert.lengthOf(answers, 150)
      for (const symbol of [aapl, gold]) {
        const numbers = answers
          .filter((answer) => answer.symbol === symbol)
          .map((answer) => Number(/\d+$/.exec(answer.client_order_id + answer.order_id.replace(/^(?!none).*/, ""))![0]))
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b)
        )
      }
    })
)

story("sends every account event to all of the account's connections, and to no other account", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const accountId = yield* venue.subaccount(alice)
    const one = yield* venue.trade(alice)
    const two = yield* venue.trade(alice, ["order_responses"])
    const silent = yield* venue.trade(alice, [])
    const sub = yield* venue.trade(alice, undefined, { accountId })
    const bob = yield* venue.trade(yield* venue.user("bob"))
    yield* one.send(limit("SELL", 2, 200, { client_order_id: "shared" }))
    yield* venue.settle
    yield* bob.send(market("BUY", 1))
    yield* venue.settle
    yield* two.send(cancel("shared", "client_order_id"))
    yield* venue.settle
    assert.deepEqual(told(yield* one.drain), ["ACK", "fill_response", "FILLED", "CANCELLED"])
    assert.deepEqual(told(yield* two.drain), ["ACK", "FILLED", "CANCELLED"])
    assert.deepEqual(yield* silent.drain, [])
    assert.deepEqual(yield* sub.drain, [])
    assert.deepEqual(told(yield* bob.drain), ["ACK", "fill_response", "FILLED"])
    // All connections of the account receive a refusal.
    yield* two.send(limit("SELL", 2, 1))
    yield* venue.settle
    assert.deepEqual(told(yield* one.drain), ["PRICE_LESS_THAN_MIN_PRICE"])
    yield* one.send(say("unsubscribe", { channels: ["order_responses"] }))
    yield* one.take("unsubscribed")
    yield* two.send(limit("SELL", 2, 201))
    yield* venue.settle
    assert.deepEqual(yield* one.drain, [])
  })
)

story("sends each fill_response right before its FILLED frame, even while another response is outstanding", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    for (let i = 0; i < 5; i++) yield* client.send(limit("SELL", 1, 200 + i))
    yield* venue.settle
    for (let i = 0; i < 5; i++) {
      yield* bob.send(market("BUY", 1))
      yield* client.send(say("get_order", { symbol: aapl, order_id: "x" }))
    }
    yield* venue.settle
    const frames = yield* client.drain
    const fills = frames.flatMap((frame, at) => (frame.fill_response === undefined ? [] : [at]))
    assert.lengthOf(fills, 5)
    for (const at of fills) {
      assert.strictEqual(frames[at + 1]?.order_response?.trade_id, frames[at]!.fill_response!.trade_id)
    }
  })
)

story("I20: treats two identical frames as two commands", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const order = limit("BUY", 1, 190, { client_order_id: "twice" })
    yield* client.send(order)
    yield* client.send(order)
    yield* client.send(cancel("twice", "client_order_id"))
    yield* client.send(cancel("twice", "client_order_id"))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK", "ACK", "CANCELLED", "CANCELLED", "NO_SUCH_ORDER"])
  })
)

story("I8, I20: applies a command once and responds once even if it is delivered several times", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const client = yield* venue.trade(alice)
    const desks = yield* DeskClient
    const request: PlaceOrder = {
      _tag: "PlaceOrder",
      commandId: id("place"),
      expiresAtMillis: friday + 5_000,
      accountId: primaryAccountOf(alice.userId),
      symbol: aapl,
      side: "SELL",
      type: "LIMIT",
      timeInForce: "GTC",
      price: 200,
      quantity: 2,
      reduceOnly: false,
      clientOrderId: "",
      builderCode: ""
    }
    const deliver = Effect.sync(() => desks.submit({ userId: alice.userId, cost: noCost, request }, () => {}))
    yield* deliver
    yield* deliver
    yield* venue.settle
    yield* deliver
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])
    const bob = yield* venue.trade(yield* venue.user("bob"))
    yield* bob.send(market("BUY", 3))
    yield* venue.settle
    // The order was filled and has ended, so the repeated delivery does not place it again.
    yield* deliver
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["fill_response", "FILLED"])
    yield* client.send(say("get_user_orders"))
    assert.deepEqual((yield* client.take("all_orders_response")).all_orders_response.orders, [])
    assert.deepInclude(yield* (yield* MarketClient).totals(aapl), { positions: 0, cash: 0 })
  })
)
