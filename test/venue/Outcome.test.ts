/** Frames of a command that fills: first all fills, then each order in its final state (rule 4.22). */
import type { Frame, OrderResponse } from "@venue/api/trade/FrameSchema"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aapl, limit, market, modify, say, story, told } from "./Story.ts"

const fillsOf = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap(({ fill_response: fill }) => (fill === undefined ? [] : [fill]))

const filledOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<OrderResponse> =>
  frames.flatMap(({ order_response: row }) => (row?.status === "FILLED" ? [row] : []))

/** Checks that fills and `FILLED` frames name the same trades in the same order. */
const assertPaired = (frames: ReadonlyArray<Frame>) =>
  assert.deepEqual(
    filledOf(frames).map((row) => row.trade_id),
    fillsOf(frames).map((fill) => fill.trade_id)
  )

story(
  "rule 4.22: a MARKET order that fills at three levels gets all its fills, then three FILLED frames with remainder 0",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"))
      const taker = yield* venue.trade(yield* venue.user("bob"))
      for (const [quantity, price] of [
        [19.1, 200],
        [20.1, 200.05],
        [5.8, 200.1]
      ] as const)
        yield* maker.send(limit("SELL", quantity, price))
      yield* venue.settle
      yield* maker.drain
      yield* taker.send(market("BUY", 45))
      yield* venue.settle
      const frames = yield* taker.drain
      const three = (name: string) => [name, name, name]
      assert.deepEqual(told(frames), ["ACK", ...three("fill_response"), ...three("FILLED")])
      assertPaired(frames)
      assert.deepEqual(
        fillsOf(frames).map((fill) => [fill.quantity, fill.remaining_quantity]),
        [
          [19.1, 25.9],
          [20.1, 5.8],
          [5.8, 0]
        ]
      )
      assert.deepEqual(
        filledOf(frames).map((row) => row.quantity_remaining),
        [0, 0, 0]
      )
      // One command filled all of the maker's orders.
      const other = yield* maker.drain
      assert.deepEqual(told(other), [...three("fill_response"), ...three("FILLED")])
      assertPaired(other)
    })
)

story(
  "rule 4.22: a partly filled IOC order gets FILLED frames with the final remainder, then the frame that ends it",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"), [])
      const taker = yield* venue.trade(yield* venue.user("bob"))
      yield* maker.send(limit("SELL", 1, 200))
      yield* maker.send(limit("SELL", 2, 200.05))
      yield* taker.send(limit("BUY", 5, 200.05, { order_time_in_force: "IOC" }))
      yield* venue.settle
      const frames = yield* taker.drain
      assert.deepEqual(told(frames), [
        "ACK",
        "fill_response",
        "fill_response",
        "FILLED",
        "FILLED",
        "IOC_PARTIALLY_FILLED"
      ])
      assert.deepEqual(
        frames.flatMap(({ order_response: row }) => row?.quantity_remaining ?? []),
        [5, 2, 2, 2]
      )
    })
)

story(
  "rule 4.22: a modify that crosses two levels gets MODIFIED, the fills, then each FILLED with the resting quantity",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"), [])
      const taker = yield* venue.trade(yield* venue.user("bob"))
      yield* maker.send(limit("SELL", 1, 200))
      yield* maker.send(limit("SELL", 1, 200.05))
      yield* taker.send(limit("BUY", 5, 199))
      const { order_response: resting } = yield* taker.take("order_response")
      yield* taker.send(modify(resting, { price: 200.05 }))
      yield* venue.settle
      const frames = yield* taker.drain
      assert.deepEqual(told(frames), ["MODIFIED", "fill_response", "fill_response", "FILLED", "FILLED"])
      assertPaired(frames)
      assert.deepEqual(
        filledOf(frames).map((row) => row.quantity_remaining),
        [3, 3]
      )
    })
)

story(
  "rule 4.22: a close and a fired stop that fill at two levels each get one FILLED per fill, after the fills",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("alice"), [])
      const taker = yield* venue.trade(yield* venue.user("bob"))
      const buyTwo = Effect.gen(function* () {
        yield* maker.send(limit("SELL", 2, 200))
        yield* taker.send(market("BUY", 2))
        yield* maker.send(limit("BUY", 1, 198))
        yield* maker.send(limit("BUY", 1, 197.5))
        yield* venue.settle
        yield* taker.drain
      })
      const filled = ["fill_response", "fill_response", "FILLED", "FILLED"]
      yield* buyTwo
      yield* taker.send(say("close_position", { symbol: aapl }))
      yield* venue.settle
      const closed = yield* taker.drain
      assert.deepEqual(told(closed), ["ACK", ...filled])
      assertPaired(closed)
      yield* buyTwo
      const stop = { symbol: aapl, side: "SELL", order_type: "STOP_LOSS", order_time_in_force: "GTC" }
      yield* taker.send(say("add_order", { ...stop, quantity: 2, price: 199 }))
      yield* venue.settle
      yield* taker.drain
      yield* venue.price(aapl, 198.8)
      yield* venue.settle
      const fired = yield* taker.drain
      assert.deepEqual(told(fired), ["ACK", ...filled])
      assertPaired(fired)
    })
)

story("rule 4.22: sends CANCELLED_STP for the user's own resting order after the command's fills", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"), [])
    const taker = yield* venue.trade(yield* venue.user("bob"))
    yield* maker.send(limit("SELL", 1, 200))
    yield* taker.send(limit("SELL", 1, 200.01))
    yield* maker.send(limit("SELL", 1, 200.05))
    yield* venue.settle
    yield* taker.drain
    yield* taker.send(market("BUY", 2))
    yield* venue.settle
    assert.deepEqual(told(yield* taker.drain), [
      "ACK",
      "fill_response",
      "fill_response",
      "FILLED",
      "FILLED",
      "CANCELLED_STP"
    ])
  })
)

story("rule 4.22: if a reduce-only order is cut after its fills, FILLED contains the quantity after the cut", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("alice"), [])
    const client = yield* venue.trade(yield* venue.user("bob"))
    yield* maker.send(limit("SELL", 5, 200))
    yield* client.send(market("BUY", 5))
    // Two reduce-only orders rest on a position of 5. A third order that crosses is allowed to use the remaining
    // quantity.
    yield* client.send(limit("SELL", 3, 201, { reduce_only: true }))
    yield* maker.send(limit("BUY", 1, 199.5))
    yield* venue.settle
    yield* client.drain
    yield* client.send(limit("SELL", 5, 199.5, { reduce_only: true }))
    yield* venue.settle
    const frames = yield* client.drain
    assert.deepEqual(told(frames), ["ACK", "fill_response", "FILLED", "MODIFIED"])
    const [, fill, filled, modified] = frames
    assert.deepInclude(fill!.fill_response, { quantity: 1, remaining_quantity: 4 })
    assert.deepInclude(filled!.order_response, { quantity: 2, quantity_remaining: 1 })
    assert.deepInclude(modified!.order_response, { quantity: 2, quantity_remaining: 1 })
  })
)
