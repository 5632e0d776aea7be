import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, gold, limit, market, modify, say, story, told } from "./Story.ts"

story(
  "get_order returns an open order by either of its ids, under both response keys and without a subscription",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const client = yield* venue.trade(alice, [])
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* client.send(limit("BUY", 3, 200, { client_order_id: "mine" }))
      yield* venue.settle
      yield* bob.send(limit("SELL", 1, 200))
      yield* venue.settle
      yield* client.send(say("get_order", { symbol: aapl, order_id: "mine" }))
      const found = yield* client.take("order_response")
      // The order is partly filled and still listed as open.
      assert.deepInclude(found.order_response, { status: "ACK", quantity: 3, quantity_remaining: 2, trade_id: null })
      assert.deepEqual(found.all_orders_response, { orders: [found.order_response], twaps: [] })
      yield* client.send(say("get_order", { symbol: aapl, order_id: found.order_response.order_id }))
      assert.deepEqual(yield* client.take("order_response"), found)
      const missing = [
        [aapl, "nobody"],
        [gold, "mine"],
        ["MOON-USD", "mine"]
      ] as const
      for (const [symbol, id] of missing) {
        yield* client.send(say("get_order", { symbol, order_id: id }))
        const frame = yield* client.take("order_response")
        assert.deepEqual(Object.keys(frame), ["order_response"])
        assert.deepInclude(frame.order_response, { status: "NO_SUCH_ORDER", order_id: id, symbol, quantity: 0 })
      }
      yield* bob.send(say("get_order", { symbol: aapl, order_id: found.order_response.order_id }))
      assert.strictEqual((yield* bob.take("order_response")).order_response.status, "NO_SUCH_ORDER")
    })
)

story("get_user_orders lists orders newest first, in pages, filtered by symbol, under both response keys", (venue) =>
  Effect.gen(function* () {
    yield* venue.price(gold, 3400)
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (let i = 0; i < 5; i++) {
      yield* client.send(limit("BUY", 1, 190 + i, { client_order_id: `a${i}` }))
      yield* TestClock.adjust(10)
    }
    yield* client.send(limit("BUY", 1, 3300, { symbol: gold, client_order_id: "g" }))
    yield* venue.settle
    yield* client.drain
    const page = (params: object) =>
      Effect.map(
        Effect.andThen(client.send(say("get_user_orders", params)), client.take("all_orders_response")),
        (frame) => {
          assert.deepEqual(frame.get_orders_response, frame.all_orders_response)
          return frame.all_orders_response.orders.map((order) => order.client_order_id)
        }
      )
    assert.deepEqual(yield* page({}), ["g", "a4", "a3", "a2", "a1", "a0"])
    assert.deepEqual(yield* page({ limit: 2 }), ["g", "a4"])
    assert.deepEqual(yield* page({ limit: 2, offset: 2 }), ["a3", "a2"])
    assert.deepEqual(yield* page({ offset: 6 }), [])
    assert.deepEqual(yield* page({ symbol: aapl, limit: 1 }), ["a4"])
    for (const params of [{ limit: 0 }, { limit: 1_001 }, { offset: -1 }, { limit: 1.5 }]) {
      yield* client.send(say("get_user_orders", params))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidParameter")
    }
  })
)

story("lists orders placed at the same instant newest first, and keeps a modified order's place in the list", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (const id of ["first", "second", "third"]) yield* client.send(limit("BUY", 1, 190, { client_order_id: id }))
    yield* venue.settle
    const [first] = yield* client.drain
    yield* TestClock.adjust(10)
    yield* client.send(modify(first!.order_response!, { price: 191 }))
    yield* client.send(say("get_user_orders"))
    const {
      all_orders_response: { orders }
    } = yield* client.take("all_orders_response")
    assert.deepEqual(
      orders.map((order) => order.client_order_id),
      ["third", "second", "first"]
    )
  })
)

story(
  "lists a modified order as MODIFIED with the time of its last change, also on a desk that has just started",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const client = yield* venue.trade(alice)
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      const told: Array<{ readonly id: string; readonly status: string; readonly time: number }> = []
      for (const id of ["filled", "modified", "untouched"]) {
        yield* client.send(limit("BUY", 3, id === "filled" ? 191 : 190, { client_order_id: id }))
        const { order_response: order } = yield* client.take("order_response")
        told.unshift({ id, status: "ACK", time: order.update_time })
        yield* TestClock.adjust("1 second")
        if (id === "modified") {
          yield* client.send(modify(order, { price: 189 }))
          const { order_response: changed } = yield* client.take("order_response")
          assert.strictEqual(changed.update_time, order.update_time + 1)
          told[0] = { id, status: "MODIFIED", time: changed.update_time }
        }
      }
      yield* bob.send(limit("SELL", 1, 191))
      const { fill_response: fill } = yield* client.take("fill_response")
      told[2] = { id: "filled", status: "ACK", time: fill.timestamp }
      assert.isAbove(fill.timestamp, told[0]!.time)
      const listed = Effect.map(
        Effect.andThen(client.send(say("get_user_orders")), client.take("all_orders_response")),
        ({ all_orders_response: { orders } }) =>
          orders.map((order) => ({ id: order.client_order_id, status: order.status, time: order.update_time }))
      )
      assert.deepEqual(yield* listed, told)

      const journal = yield* Journal
      // Another owner claims the stream: the desk is fenced at its next row and synchronises with the markets again.
      const stream = traderStream(alice.userId)
      const { epoch, seq } = yield* journal.claim(
        stream,
        { restore: () => true, replay: () => {} },
        Effect.succeed(true)
      )
      yield* client.send(say("set_user_leverage", { symbol: gold, leverage: 1 }))
      yield* Effect.repeat(Effect.andThen(venue.settle, TestClock.adjust("1 second")), { times: 3 })
      assert.strictEqual((yield* journal.read(stream, seq, 1))[0]?.epoch, epoch + 1)
      assert.deepEqual(yield* listed, told)
    })
)

story("get_user_trades lists each of the account's fills, newest first, filtered by order and by time", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.send(limit("SELL", 9, 200))
    yield* venue.settle
    for (let i = 0; i < 3; i++) {
      yield* client.send(limit("BUY", 1, 200, { client_order_id: `c${i}` }))
      yield* venue.settle
      yield* TestClock.adjust("1 second")
    }
    const fills = (yield* client.drain).flatMap(({ fill_response: fill }) => fill ?? [])
    assert.lengthOf(fills, 3)
    const trades = (params: object) =>
      Effect.map(
        Effect.andThen(client.send(say("get_user_trades", params)), client.take("user_trades_response")),
        (frame) => frame.user_trades_response
      )
    const all = yield* trades({})
    assert.deepEqual(
      all.map((trade) => trade.client_order_id),
      ["c2", "c1", "c0"]
    )
    for (const [at, trade] of all.entries()) {
      const {
        order_price: _,
        remaining_quantity: __,
        stop_loss: ___,
        take_profit: ____,
        user_id: _____,
        ...fill
      } = fills[2 - at]!
      assert.deepEqual(trade, fill)
    }
    yield* client.send(say("get_user_trades", { limit: 1, offset: 1 }))
    const { count, user_trades } = yield* client.take("user_trades")
    assert.deepEqual([count, user_trades.map((row) => row.client_order_id)], [3, ["c1"]])
    const ids = (params: object) => Effect.map(trades(params), (rows) => rows.map((row) => row.client_order_id))
    assert.deepEqual(yield* ids({ limit: 1, offset: 1 }), ["c1"])
    assert.deepEqual(yield* ids({ order_id: fills[0]!.order_id }), ["c0"])
    // The range includes both ends. Seconds and milliseconds are distinguished by their magnitude.
    const [t0, t1] = [fills[0]!.timestamp, fills[1]!.timestamp]
    assert.deepEqual(yield* ids({ start_ts: t0, end_ts: t1 }), ["c1", "c0"])
    assert.deepEqual(yield* ids({ start_ts: t1 * 1000 }), ["c2", "c1"])
    assert.deepEqual(yield* ids({ end_ts: t0 - 1 }), [])
    yield* bob.send(say("get_user_trades"))
    const { user_trades_response: makers } = yield* bob.take("user_trades_response")
    assert.deepEqual(
      makers.map((row) => [row.side, row.aggressor_side, row.fee]),
      Array.from({ length: 3 }, () => ["SELL", "BUY", 0.04])
    )
  })
)

story("delays the response to get_user_trades right after a fill until the tables include the fill", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.send(limit("SELL", 1, 200))
    yield* venue.settle
    yield* client.send(market("BUY", 1))
    yield* client.take("fill_response")
    yield* client.send(say("get_user_trades"))
    yield* TestClock.adjust("100 millis")
    assert.lengthOf((yield* client.take("user_trades_response")).user_trades_response, 1)
  })
)

story("rule 7.2: uses the maximum leverage until a level is set, and offers levels from 1 to the maximum", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), [])
    yield* client.send(say("get_user_leverage", { limit: 1 }))
    const [row] = (yield* client.take("user_leverage_response")).user_leverage_response
    assert.deepInclude(row, { symbol: aapl, leverage: "10", initial_margin: 0.1, max_notional: 2_500_000 })
    assert.closeTo(row!.maintenance_margin, 2 / 30, 1e-9)
    yield* client.send(say("get_available_leverage_levels", { limit: 12 }))
    const levels = (yield* client.take("available_leverage_levels_response")).available_leverage_levels_response
    assert.deepEqual(levels.map(({ leverage, symbol }) => `${symbol} ${leverage}`).slice(8), [
      "AAPL-USD 9",
      "AAPL-USD 10",
      "NVDA-USD 1",
      "NVDA-USD 2"
    ])
    assert.deepInclude(levels[0], { initial_margin: 1, max_notional: 4_750_000 })
    const set = say("set_user_leverage", { symbol: aapl, leverage: 5 })
    yield* client.send(set)
    assert.deepEqual(yield* client.take("ack"), { ack: { incoming_message: set }, ack_response: true })
    yield* client.send(say("get_user_leverage"))
    const rows = (yield* client.take("user_leverage_response")).user_leverage_response
    assert.deepEqual(
      rows.filter((one) => one.symbol === aapl).map((one) => [one.leverage, one.max_notional, one.id]),
      [["5", 3_750_000, row!.id]]
    )
  })
)

story(
  "rule 7.2: refuses a leverage change while the symbol has an open order or position, or to a value that is not offered",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"))
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      const set = (leverage: number, symbol = aapl) => client.send(say("set_user_leverage", { symbol, leverage }))
      for (const level of [0, 11, 2.5, -1]) {
        yield* set(level)
        assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidParameter")
      }
      yield* set(5, MarketSymbol.make("MOON-USD"))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidParameter")
      // Sets the leverage together with an order, and again after the order.
      yield* client.send(limit("BUY", 1, 190))
      yield* set(5)
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["ACK", "InvalidParameter"])
      yield* client.send(say("cancel_all_orders"))
      yield* client.take("ack")
      yield* set(5)
      yield* client.take("ack")
      yield* bob.send(limit("SELL", 1, 200))
      yield* venue.settle
      yield* client.send(market("BUY", 1))
      yield* venue.settle
      yield* client.drain
      yield* set(4)
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidParameter")
      // Setting the current level again changes nothing.
      yield* set(5)
      yield* client.take("ack")
      yield* set(4, gold)
      yield* client.take("ack")
    })
)
