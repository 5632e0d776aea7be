/** Accounts in liquidation on the whole venue (rule 9). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deal, equityOf, fifty, fillsOf, fundOf, heldBy, logOf, person, provide, topUp } from "./Ruin.ts"
import { aapl, friday, gold, limit, say, story, told } from "./Story.ts"

story(
  "rule 9.3, rule 9.4: at a mark of 190, a liquidation cancels all orders, stops and TWAPs, and sells 16.782 on the book",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* fifty(venue)
      yield* venue.price(gold, 3_400)
      yield* alice.client.sendAll([
        limit("BUY", 0.1, 185),
        limit("BUY", 0.01, 3_390, { symbol: gold }),
        limit("SELL", 50, 150, { order_type: "STOP_LOSS" }),
        say("add_twap", {
          symbol: gold,
          side: "BUY",
          total_quantity: 0.1,
          num_orders: 10,
          order_interval_secs: 30,
          reduce_only: false,
          start_time: (friday + 3_600_000) / 1_000
        })
      ])
      yield* venue.settle
      assert.isDefined((yield* alice.client.drain).find((frame) => frame.twap_response !== undefined))
      yield* bob.client.send(limit("BUY", 10, 189))
      yield* bob.client.send(limit("BUY", 20, 186))
      yield* venue.settle
      yield* bob.client.drain

      yield* venue.price(aapl, 190)
      yield* venue.settle
      const frames = yield* alice.client.drain
      const cancelled = frames.filter(({ order_response: order }) => order?.status === "CANCELLED")
      assert.deepEqual(cancelled.map(({ order_response: order }) => `${order!.type} ${order!.symbol}`).sort(), [
        "LIMIT AAPL-USD",
        "LIMIT GOLD-USD",
        "STOP_LOSS AAPL-USD"
      ])
      assert.deepEqual(
        frames.flatMap(({ twap_response: twap }) => twap?.status ?? []),
        ["CANCELLED"]
      )
      const fills = frames.flatMap(({ fill_response: fill }) => fill ?? [])
      assert.deepEqual(
        fills.map(({ execution_type, price, quantity }) => [execution_type, price, quantity]),
        [
          ["LIQUIDATION", 189, 10],
          ["LIQUIDATION", 186, 6.782]
        ]
      )
      assert.strictEqual(yield* heldBy(alice), 33.218)
      yield* fundOf()
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* heldBy(alice), 33.218)
    })
)

story(
  "rule 9.3: retries a liquidation order once a second while the book is empty, and completes it when bids arrive",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* fifty(venue)
      yield* venue.price(aapl, 190)
      yield* TestClock.adjust("5 seconds")
      yield* venue.settle
      const tried = (yield* logOf()).filter(
        (event) => event._tag === "Accepted" && event.order.origin === "LIQUIDATION"
      )
      assert.isTrue(tried.length >= 5 && tried.length <= 6, `${tried.length} tries`)
      yield* alice.client.drain
      yield* alice.client.send(limit("BUY", 1, 189))
      assert.strictEqual((yield* alice.client.take("order_response")).order_response.status, "USER_IN_LIQUIDATION")
      yield* bob.client.send(limit("BUY", 50, 189))
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      assert.isAbove(yield* heldBy(alice), 30)
      assert.isBelow(yield* heldBy(alice), 34)
      yield* alice.client.drain
      yield* alice.client.send(limit("BUY", 0.1, 189))
      assert.notStrictEqual((yield* alice.client.take("order_response")).order_response.status, "USER_IN_LIQUIDATION")
    })
)

story(
  "rule 9.5, rule 9.13: at a mark of 186, moves 400 of equity to the fund, which pays 23.25 for the takeover of 50 units",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* fifty(venue)
      const cid = yield* person(venue, "cid", 100_000)
      yield* provide(cid)
      yield* venue.price(aapl, 186)
      yield* venue.settle
      yield* alice.client.send(limit("SELL", 1, 186, { reduce_only: true }))
      yield* venue.settle
      assert.include(told(yield* alice.client.drain), "USER_IN_LIQUIDATION")
      assert.strictEqual(yield* heldBy(alice), 50)
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      assert.deepEqual(yield* fillsOf(alice), ["LIQUIDATION SELL 50 at 186"])
      assert.deepEqual(yield* fillsOf(cid), ["LIQUIDATION BUY 50 at 186"])
      assert.deepEqual([yield* heldBy(alice), yield* heldBy(bob), yield* heldBy(cid)], [0, -50, 50])
      assert.deepEqual([yield* equityOf(alice), yield* equityOf(cid)], [0, 100_023.25])
      assert.strictEqual(yield* fundOf(), 376.75)
    })
)

story(
  "rule 9.14: at a mark of 170, which the fund cannot cover, closes opposite positions at 178, riskiest first",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* person(venue, "alice", 1_110)
      const bob = yield* person(venue, "bob", 2_000)
      const cid = yield* person(venue, "cid", 100_000)
      const dan = yield* person(venue, "dan", 100_000)
      yield* topUp(150)
      yield* deal(venue, alice, bob, 40, 200)
      yield* deal(venue, alice, cid, 10, 200)
      yield* deal(venue, dan, cid, 40, 200)
      const before = yield* equityOf(bob)
      yield* venue.price(aapl, 170)
      yield* TestClock.adjust("1 second")
      yield* venue.settle
      assert.deepEqual(yield* fillsOf(bob), ["ADL BUY 40 at 178"])
      assert.deepEqual(yield* fillsOf(cid), ["ADL BUY 10 at 178"])
      assert.deepEqual([yield* heldBy(alice), yield* heldBy(cid), yield* heldBy(dan)], [0, -40, 40])
      assert.deepEqual([yield* equityOf(alice), (yield* equityOf(bob)) - before], [0, 880])
      assert.strictEqual(yield* fundOf(), 150)
    })
)
