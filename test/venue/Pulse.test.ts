import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, limit, market, say, story, told } from "./Story.ts"

const subscribe = (...channels: ReadonlyArray<string>) => say("subscribe", { channels })

story(
  "confirms each channel in its own frame, in the requested order, even if the channel is already subscribed",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"), [])
      yield* client.send(subscribe("fills", "stop_orders", "order_responses", "cancel_on_disconnect"))
      yield* client.send(subscribe("fills"))
      yield* client.send(say("unsubscribe", { channels: ["fills", "balances"] }))
      yield* venue.settle
      assert.deepEqual(yield* client.drain, [
        { subscribed: "fills" },
        { subscribed: "stop_orders" },
        { subscribed: "order_responses" },
        { subscribed: "cancel_on_disconnect" },
        { subscribed: "fills" },
        { unsubscribed: "fills" },
        { unsubscribed: "balances" }
      ])
      yield* client.send(limit("BUY", 1, 190))
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), ["ACK"])
    })
)

story("responds InvalidJSONFormat to a subscription with only unknown channels, and subscribes to nothing", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), [])
    for (const channels of [["leaderboard"], "order_responses", [7], undefined]) {
      yield* client.send(say("subscribe", { channels }))
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidJSONFormat")
    }
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(yield* client.drain, [])
  })
)

story("sends balances and positions right after the confirmation, then once a second", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice", 5_000))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.send(limit("SELL", 1, 200))
    yield* venue.settle
    yield* client.send(market("BUY", 1))
    yield* venue.settle
    yield* client.drain
    yield* client.send(subscribe("balances", "positions"))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["subscribed", "subscribed", "position_response", "balance_response"])
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    const pulses = told(yield* client.drain)
    assert.deepEqual(
      pulses.filter((kind) => kind === "balance_response"),
      Array(3).fill("balance_response")
    )
    assert.deepEqual(
      pulses.filter((kind) => kind === "position_response"),
      Array(3).fill("position_response")
    )
    yield* client.send(say("unsubscribe", { channels: ["balances", "positions"] }))
    yield* venue.settle
    yield* client.drain
    yield* TestClock.adjust("3 seconds")
    assert.deepEqual(yield* client.drain, [])
  })
)

story("sends the current position, and sends 0 once after the position is closed", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), ["positions"])
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* bob.send(limit("BUY", 2, 200))
    yield* venue.settle
    yield* client.send(limit("SELL", 3, 200))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    const position = (yield* client.drain).at(-1)!.position_response!
    // The last trade, the best bid and the external price are all 200. The position is worth 400 at 10x leverage.
    assert.deepInclude(position, {
      symbol: aapl,
      position: -2,
      average_price: 200,
      margin_alloc: 40,
      unrealised_pnl: 0,
      open_orders: 1,
      open_quantity: 1,
      leverage: 10,
      initial_margin: 0.1
    })
    yield* client.send(say("cancel_all_orders"))
    yield* bob.send(limit("SELL", 2, 201))
    yield* venue.settle
    yield* client.send(say("close_position", { symbol: aapl }))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    const closed = (yield* client.drain).at(-1)!.position_response!
    assert.deepInclude(closed, { id: position.id, position: 0, margin_alloc: 0, realised_pnl: -2, open_orders: 0 })
    yield* TestClock.adjust("3 seconds")
    assert.deepEqual(yield* client.drain, [])
    yield* client.send(say("subscribe", { channels: ["positions"] }))
    yield* venue.settle
    assert.deepEqual((yield* client.drain).at(-1)!.position_response, closed)
  })
)

story("rule 8.8: sends balance components that add up to available_balance at every mark", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice", 5_000), ["balances"])
    const bob = yield* venue.trade(yield* venue.user("bob", 1_000_000), [])
    yield* client.take("balance_response")
    yield* bob.send(limit("SELL", 50, 200))
    yield* venue.settle
    yield* client.send(limit("BUY", 50, 200))
    yield* venue.settle
    // The book has a bid and an offer around 204, so the mark follows the external price.
    yield* bob.send(limit("BUY", 1, 203.9))
    yield* bob.send(limit("SELL", 1, 204.1))
    yield* venue.settle
    yield* venue.price(aapl, 204)
    yield* client.send(limit("BUY", 20, 198))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    const balance = (yield* client.drain).at(-1)!.balance_response!
    // 50 were bought at 204 and 20 at 198, at 10x leverage. The taker's fee is 10 bps of 10,000.
    assert.deepInclude(balance, {
      deposit: 5_000,
      realised_pnl: 0,
      position_margin: 1_020,
      order_margin: 396,
      unrealised_pnl: 200,
      net_funding: 0,
      referral_rewards: 0,
      fees: 10,
      available_balance: 5_000 - 10 + 200 - 1_020 - 396
    })
    for (const usd of [204.37, 203.2, 199.99, 207.77]) {
      yield* venue.price(aapl, usd)
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      const now = (yield* client.drain).at(-1)!.balance_response!
      const equity =
        now.deposit + now.realised_pnl + now.net_funding + now.referral_rewards - now.fees + now.unrealised_pnl
      assert.closeTo(now.available_balance, equity - now.order_margin - now.position_margin, 1e-6)
    }
  })
)

story(
  "rule 8.1, rule 8.3: averages the entry price over all buys, and moves the unrealised profit with the mark",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(aapl, 199)
      const client = yield* venue.trade(yield* venue.user("alice"), ["positions"])
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* bob.sendAll([limit("SELL", 50, 200), limit("SELL", 20, 198)])
      yield* venue.settle
      yield* client.send(limit("BUY", 70, 200))
      yield* venue.settle
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      const long = (yield* client.drain).at(-1)!.position_response!
      assert.strictEqual(long.position, 70)
      assert.closeTo(long.average_price, 199.428571, 1e-6)
      // The cost is 50 x 200 + 20 x 198, and the mark is 199.
      assert.closeTo(long.unrealised_pnl, 70 * 199 - 13_960, 1e-6)
      yield* bob.send(limit("BUY", 80, 199))
      yield* venue.settle
      // The position reverses. The remainder is short at this fill's price.
      yield* client.send(limit("SELL", 72, 199))
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      const short = (yield* client.drain).at(-1)!.position_response!
      assert.deepInclude(short, { position: -2, average_price: 199, realised_pnl: -30, unrealised_pnl: 0 })
      yield* venue.price(aapl, 195)
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      const { unrealised_pnl: profit, margin_alloc: margin } = (yield* client.drain).at(-1)!.position_response!
      assert.closeTo(profit, 2 * (199 - (margin * 10) / 2), 1e-4)
      assert.isAbove(profit, 0)
    })
)

story("rule 7.5: buy orders above the mark also hold margin for their open loss", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice", 5_000), ["balances"])
    yield* venue.price(aapl, 204)
    yield* client.send(limit("BUY", 20, 206))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    // There is no position: orders hold 412 of margin plus an open loss of 20 times 2.
    assert.deepInclude((yield* client.drain).at(-1)!.balance_response, { order_margin: 452, available_balance: 4_548 })
  })
)

story("rule 21.7: skips periodic frames for a slow reader, but no order or fill frames", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), ["balances", "order_responses"])
    yield* client.take("balance_response")
    yield* client.lag(100 * 1024)
    yield* TestClock.adjust("3 seconds")
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])
    yield* client.lag(0)
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["balance_response"])
  })
)

story("after each fill, immediately sends a position and a balance that include the fill", (venue) =>
  Effect.gen(function* () {
    const channels = ["fills", "order_responses", "positions", "balances"]
    const client = yield* venue.trade(yield* venue.user("alice", 5_000), channels)
    const bob = yield* venue.trade(yield* venue.user("bob"), channels)
    yield* bob.send(limit("SELL", 1, 200))
    yield* bob.send(limit("SELL", 1, 200.05))
    yield* venue.settle
    yield* client.drain
    yield* bob.drain
    yield* client.send(market("BUY", 2))
    yield* venue.settle
    const frames = yield* client.drain
    const filled = ["fill_response", "fill_response", "FILLED", "FILLED"]
    assert.deepEqual(told(frames), ["ACK", ...filled, "position_response", "balance_response"])
    assert.deepInclude(frames.at(-2)!.position_response, { symbol: aapl, position: 2, average_price: 200.025 })
    assert.strictEqual(frames.at(-1)!.balance_response!.fees, 0.40005)
    const made = yield* bob.drain
    assert.deepEqual(told(made), [...filled, "position_response", "balance_response"])
    assert.deepInclude(made.at(-2)!.position_response, { symbol: aapl, position: -2, open_orders: 0 })
  })
)

story(
  "sends an active account's positions and balance at most every 200 ms, in addition to the periodic frames",
  (venue) =>
    Effect.gen(function* () {
      const client = yield* venue.trade(yield* venue.user("alice"), ["positions", "balances"])
      const bob = yield* venue.trade(yield* venue.user("bob"), [])
      yield* venue.settle
      yield* TestClock.adjust(1_000 - ((yield* Clock.currentTimeMillis) % 1_000) + 10)
      yield* client.drain
      yield* bob.send(limit("SELL", 30, 200))
      yield* venue.settle
      for (let fill = 0; fill < 30; fill++) {
        yield* client.send(market("BUY", 1))
        yield* venue.settle
        yield* TestClock.adjust("20 millis")
      }
      yield* TestClock.adjust("200 millis")
      yield* venue.settle
      const frames = yield* client.drain
      const positions = frames.flatMap(({ position_response: row }) => (row === undefined ? [] : [row.position]))
      const balances = frames.filter((frame) => frame.balance_response !== undefined)
      assert.strictEqual(positions[0], 1)
      assert.strictEqual(positions.at(-1), 30)
      assert.isAtMost(positions.length, 6)
      assert.isAtLeast(positions.length, 3)
      assert.lengthOf(balances, positions.length)
    })
)
