/**
 * A slow reader of market data. It receives every trade until its connection closes, and other readers are not
 * affected.
 */
import type { Frame } from "@venue/api/marketData/FrameSchema"
import type { MarketDataClient } from "@venue/testing/Client"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deal, person } from "./Ruin.ts"
import { aapl, limit, say, story } from "./Story.ts"

const numbers = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap((frame) => ("sequence" in frame && frame.sequence !== undefined ? [frame.sequence] : []))
const trades = (frames: ReadonlyArray<Frame>) =>
  frames.flatMap((frame) => (frame.type === "trade" ? [frame.trade_id] : []))
const from = (first: number, frames: ReadonlyArray<Frame>) => frames.map((_, at) => first + at)

story(
  "I49: sends a slow reader every trade in order until 1 MiB is unread, then closes the connection with an error",
  (venue) =>
    Effect.gen(function* () {
      const [ann, ben] = [yield* person(venue, "ann", 1_000_000), yield* person(venue, "ben", 1_000_000)]
      const traded = (times: number) =>
        Effect.replicateEffect(Effect.andThen(deal(venue, ann, ben, 1, 200), TestClock.adjust("1 second")), times)
      const begin = (client: MarketDataClient) =>
        Effect.andThen(
          client.send({ type: "subscribe", channels: ["level2", "trade", "bbo"], symbols: [aapl] }),
          client.drain
        )
      const [slow, quick] = [yield* venue.marketData, yield* venue.marketData]
      const first = numbers(yield* begin(slow)).length + 1
      yield* begin(quick)
      yield* slow.lag(100 * 1024)
      yield* traded(5)
      const heard = yield* slow.drain
      const heardByQuick = yield* quick.drain
      // Trades arrive consecutively without gaps. Newer states replace the skipped ones.
      assert.lengthOf(trades(heard), 5)
      assert.deepStrictEqual(numbers(heard), from(first, heard))
      assert.deepStrictEqual(trades(heard), trades(heardByQuick))
      assert.deepStrictEqual(numbers(heardByQuick), from(first, heardByQuick))
      assert.isAbove(heardByQuick.length, heard.length)

      yield* slow.lag(1024 * 1024 + 1)
      yield* traded(3)
      const last = yield* slow.drain
      const all = yield* quick.drain
      assert.deepStrictEqual(slow.closedWith(), {
        code: 1013,
        reason: "the client did not read its frames; 1 MiB was waiting"
      })
      // The frame that exceeded the limit is the last one.
      assert.deepStrictEqual(trades(last), trades(all).slice(0, 1))
      assert.deepStrictEqual(numbers(last), [first + 5])
      assert.lengthOf(trades(all), 3)
      assert.deepStrictEqual(numbers(all), from(first + heardByQuick.length, all))
    })
)

story(
  "rule 21.7: allows 1 MiB of unread data, market data included, in addition to a long response in flight",
  (venue) =>
    Effect.gen(function* () {
      const slow = yield* venue.trade(yield* venue.user("ann", 1_000_000), [])
      const id = "x".repeat(64)
      for (let at = 0; at < 150; at++) yield* slow.send(limit("BUY", 0.1, 190, { client_order_id: id }))
      yield* venue.settle
      yield* slow.send(say("get_user_orders"))
      const { length } = JSON.stringify(yield* slow.take("all_orders_response"))
      assert.isAbove(length, 100 * 1024)
      const subscribe = say("subscribe", { channels: ["market_stats"], symbols: [aapl] })
      yield* slow.lag(1024 * 1024 + 64 * 1024)
      yield* slow.send(subscribe)
      assert.isUndefined(slow.closedWith())
      yield* slow.lag(1024 * 1024 + 2 * length)
      yield* slow.send(subscribe)
      assert.deepEqual(slow.closedWith(), {
        code: 1013,
        reason: "the client did not read its frames; 1 MiB was waiting"
      })
    })
)
