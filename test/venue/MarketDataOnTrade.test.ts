/** Market data on the trade socket, which is the same as on the market-data socket. */
import type { Frame } from "@venue/api/marketData/FrameSchema"
import type { Client } from "@venue/testing/Client"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, gold, limit, say, story } from "./Story.ts"

const request = (
  type: "subscribe" | "unsubscribe",
  channels: ReadonlyArray<string>,
  symbols: ReadonlyArray<string>
) => ({
  type,
  channels,
  symbols
})

/** Returns all received frames, market data included. */
const drained = (client: Client) =>
  Effect.map(client.drain, (frames) => frames as ReadonlyArray<object> as ReadonlyArray<Frame>)

const kinds = (frames: ReadonlyArray<Frame>) => frames.map((frame) => frame.type ?? Object.keys(frame)[0])

story("numbers market data per connection, and sends the same frames as the market-data socket", (venue) =>
  Effect.gen(function* () {
    yield* venue.price(gold, 3_400)
    yield* TestClock.adjust("5 seconds")
    const trader = yield* venue.trade(yield* venue.user("ann"), [])
    const other = yield* venue.marketData
    const asked = request("subscribe", ["market_stats", "funding"], ["*", aapl])
    yield* trader.send(asked)
    yield* other.send(asked)
    const told = yield* drained(trader)
    assert.deepEqual(kinds(told), ["subscribed", "market_stats", "market_stats", "funding", "funding"])
    assert.deepEqual(told, yield* other.drain)
    yield* TestClock.adjust("10 seconds")
    const later = yield* drained(trader)
    assert.deepEqual(later, yield* other.drain)
    assert.deepEqual(
      later.map((frame) => ("sequence" in frame ? frame.sequence : 0)),
      later.map((_, at) => 5 + at)
    )
    yield* trader.send(request("unsubscribe", ["market_stats", "funding"], ["*", aapl]))
    yield* TestClock.adjust("10 seconds")
    assert.deepEqual(kinds(yield* drained(trader)), ["unsubscribed"])
  })
)

story("accepts market-data channels in params together with account channels", (venue) =>
  Effect.gen(function* () {
    const trader = yield* venue.trade(yield* venue.user("ann"), [])
    yield* trader.send(say("subscribe", { channels: ["order_responses", "funding"], symbols: [aapl] }))
    assert.deepEqual(kinds(yield* drained(trader)), ["subscribed", "subscribed", "funding"])
    yield* trader.send(limit("BUY", 1, 199))
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    assert.deepEqual(kinds(yield* drained(trader)), ["order_response", "funding"])
    yield* trader.send(say("unsubscribe", { channels: ["funding"], symbols: [aapl] }))
    yield* TestClock.adjust("2 seconds")
    assert.deepEqual(kinds(yield* drained(trader)), ["unsubscribed"])
  })
)

story("reports the invalid parts of a market-data request, and applies the valid parts", (venue) =>
  Effect.gen(function* () {
    const stranger = yield* venue.connect
    yield* stranger.send(request("subscribe", ["funding"], [aapl]))
    assert.strictEqual((yield* stranger.drain)[0]?.err?.error_code, "PermissionDenied")
    const trader = yield* venue.trade(yield* venue.user("ann"), [])
    yield* trader.send(request("subscribe", ["funding"], [aapl, "FOO-USD"]))
    const frames = yield* drained(trader)
    assert.deepEqual(kinds(frames), ["subscribed", "err", "funding"])
    assert.include(JSON.stringify(frames[1]), "unknown symbol FOO-USD")
    for (const wrong of [
      request("subscribe", ["bbo"], [aapl]),
      say("subscribe", { channels: ["funding"] }),
      say("subscribe", { channels: ["funding"], symbols: aapl }),
      say("subscribe", { channels: ["bbo"], symbols: [aapl] })
    ]) {
      yield* trader.send(wrong)
      assert.deepEqual(kinds(yield* drained(trader)), ["err"])
    }
    yield* trader.close
    yield* TestClock.adjust("2 seconds")
    assert.deepEqual(yield* trader.drain, [])
  })
)
