import type { Frame as MarketDataFrame } from "@venue/api/marketData/FrameSchema"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, cancel, friday, gold, limit, market, story } from "./Story.ts"

const subscribe = (
  channels: ReadonlyArray<string>,
  symbols: ReadonlyArray<MarketSymbol> = [aapl],
  more: object = {}
) => ({
  type: "subscribe",
  channels,
  symbols,
  ...more
})

const kinds = (frames: ReadonlyArray<MarketDataFrame>) => frames.map((frame) => frame.type ?? "err")

/** Creates a book with bids for 2 at 199.98 and 1 at 199.91, and an offer for 3 at 200.02. */
const book = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const maker = yield* venue.trade(yield* venue.user("maker", 1_000_000), ["order_responses"])
  yield* maker.sendAll([limit("BUY", 2, 199.98), limit("BUY", 1, 199.91), limit("SELL", 3, 200.02)])
  yield* venue.settle
  return { maker, ids: (yield* maker.drain).map((frame) => frame.order_response!.order_id) }
})

story("confirms each request once, and then sends a first value on every stream except trade", (venue) =>
  Effect.gen(function* () {
    yield* book(venue)
    const client = yield* venue.marketData
    const request = subscribe(["level2", "bbo", "trade", "mark_price"])
    yield* client.send(request)
    const frames = yield* client.drain
    assert.deepEqual(frames[0] as object, {
      type: "subscribed",
      channels: request.channels,
      symbols: [aapl],
      sig_figs: [0]
    })
    assert.deepEqual(kinds(frames.slice(1)), ["level2", "bbo", "mark_price"])
    assert.deepEqual(
      frames.slice(1).map((frame) => ("sequence" in frame ? frame.sequence : 0)),
      [1, 2, 3]
    )
    const { time, ...snapshot } = frames[1] as { time: string } & MarketDataFrame
    assert.deepEqual(snapshot as object, {
      type: "level2",
      sequence: 1,
      symbol: aapl,
      bid: [
        ["199.98", "2"],
        ["199.91", "1"]
      ],
      ask: [["200.02", "3"]],
      sig_figs: 0
    })
    assert.strictEqual(Date.parse(time), Date.UTC(2026, 10, 20, 15, 0, 0, 1))
    assert.deepInclude(frames[2], { bid: [["199.98", "2"]], ask: [["200.02", "3"]] })
    assert.deepInclude(frames[3], { price: "200" })
  })
)

story(
  "sends a separate level2 stream for each value of sig_figs, with bids rounded down and offers rounded up",
  (venue) =>
    Effect.gen(function* () {
      yield* book(venue)
      const client = yield* venue.marketData
      yield* client.send(subscribe(["level2"], [aapl], { sig_figs: [1, 2] }))
      assert.deepInclude(yield* client.take("subscribed"), { sig_figs: [1, 2] })
      assert.deepInclude(yield* client.take("level2"), {
        sig_figs: 1,
        bid: [["199.90", "3"]],
        ask: [["200.10", "3"]]
      } as object)
      assert.deepInclude(yield* client.take("level2"), {
        sig_figs: 2,
        bid: [["199.00", "3"]],
        ask: [["201.00", "3"]]
      } as object)
    })
)

story("sends the whole level2 book every 500 ms even without a change, and an empty side as []", (venue) =>
  Effect.gen(function* () {
    const { ids, maker } = yield* book(venue)
    const client = yield* venue.marketData
    yield* client.send(subscribe(["level2"]))
    yield* client.drain
    yield* maker.send(cancel(ids[2]!))
    yield* TestClock.adjust("1 second")
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["level2", "level2"])
    assert.deepInclude(frames[1], {
      sequence: 3,
      ask: [],
      bid: [
        ["199.98", "2"],
        ["199.91", "1"]
      ]
    } as object)
  })
)

story("sends at most 20 level2 levels per side", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("maker"), [])
    yield* maker.sendAll(Array.from({ length: 25 }, (_, at) => limit("BUY", 1, 190 + at / 100)))
    yield* venue.settle
    const client = yield* venue.marketData
    yield* client.send(subscribe(["level2"]))
    const { bid } = yield* client.take("level2")
    assert.lengthOf(bid, 20)
    assert.deepEqual(
      [bid[0], bid[19]],
      [
        ["190.24", "1"],
        ["190.05", "1"]
      ]
    )
  })
)

story("sends bbo when the best price or its size changes, at most every 100 ms", (venue) =>
  Effect.gen(function* () {
    const { maker } = yield* book(venue)
    const client = yield* venue.marketData
    yield* client.send(subscribe(["bbo"]))
    yield* TestClock.adjust("1 second")
    yield* client.drain
    yield* maker.sendAll([limit("BUY", 1, 199.99), limit("BUY", 1, 199.99), limit("BUY", 1, 199)])
    yield* venue.settle
    yield* TestClock.adjust("1 second")
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["bbo"])
    assert.deepInclude(frames[0], { bid: [["199.99", "2"]], ask: [["200.02", "3"]] } as object)
    yield* maker.send(limit("BUY", 1, 198))
    yield* TestClock.adjust("1 second")
    assert.deepEqual(yield* client.drain, [])
  })
)

story("sends every trade immediately, with the aggressor's side and the same trade id as its fills", (venue) =>
  Effect.gen(function* () {
    yield* book(venue)
    const client = yield* venue.marketData
    yield* client.send(subscribe(["trade"], [MarketSymbol.make("*")]))
    assert.deepEqual(kinds(yield* client.drain), ["subscribed"])
    const taker = yield* venue.trade(yield* venue.user("taker"))
    yield* taker.send(market("SELL", 2.5))
    yield* venue.settle
    const fills = (yield* taker.drain).flatMap(({ fill_response: fill }) => fill ?? [])
    const trades = (yield* client.drain) as ReadonlyArray<MarketDataFrame & { trade_id: string }>
    assert.deepEqual(
      trades.map((trade) => trade.trade_id),
      fills.map((fill) => fill.trade_id)
    )
    assert.deepInclude(trades[0], {
      type: "trade",
      size: "2",
      price: "199.98",
      side: "sell",
      execution_type: "T",
      sequence: 1
    } as object)
    assert.deepInclude(trades[1], { size: "0.5", price: "199.91", sequence: 2 } as object)
  })
)

story("rule 3.3: sends mark_price once a second, following the external price", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.marketData
    yield* client.send(subscribe(["mark_price"], [aapl, gold]))
    // Gold has no price yet, so it has no frame.
    assert.deepEqual(kinds(yield* client.drain), ["subscribed", "mark_price"])
    yield* venue.price(aapl, 204.37)
    yield* venue.price(gold, 3_410.95)
    yield* TestClock.adjust("1 second")
    const frames = (yield* client.drain) as ReadonlyArray<MarketDataFrame & { price: string; symbol: MarketSymbol }>
    assert.deepEqual(
      frames.map(({ price, symbol }) => [symbol, price]),
      [
        [aapl, "204.37"],
        [gold, "3410.95"]
      ]
    )
  })
)

story(
  "rule 3.3: computes the mark as the median of the external price, that price plus its average premium, and the book",
  (venue) =>
    Effect.gen(function* () {
      const maker = yield* venue.trade(yield* venue.user("maker"), [])
      const taker = yield* venue.trade(yield* venue.user("taker"), [])
      yield* maker.sendAll([limit("SELL", 1, 200.3), limit("SELL", 5, 200.24), limit("BUY", 5, 200.18)])
      yield* venue.settle
      yield* taker.send(limit("BUY", 1, 200.24))
      yield* venue.settle
      const client = yield* venue.marketData
      yield* client.send(subscribe(["mark_price"]))
      yield* TestClock.adjust("30 seconds")
      const marks = (yield* client.drain).flatMap((frame) => (frame.type === "mark_price" ? [Number(frame.price)] : []))
      // The mid price is 0.21 above the external price. In 30 seconds, the average covers 1 - exp(-30 / 150) of that
      // difference.
      assert.closeTo(marks.at(-1)!, 200 + 0.21 * (1 - Math.exp(-30 / 150)), 0.002)
      assert.isTrue(marks.every((mark, at) => at === 0 || mark >= marks[at - 1]!))
    })
)

story("stops an unsubscribed stream, and continues the other streams and the numbering", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.marketData
    yield* client.send(subscribe(["level2", "mark_price"]))
    yield* client.drain
    const unsubscribe = { type: "unsubscribe", channels: ["level2"], symbols: [aapl] }
    yield* client.send(unsubscribe)
    assert.deepEqual(yield* client.drain, [
      { ...unsubscribe, type: "unsubscribed", sig_figs: [0] }
    ] as ReadonlyArray<object>)
    yield* TestClock.adjust("2 seconds")
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["mark_price", "mark_price"])
    assert.deepInclude(frames[0], { sequence: 3 } as object)
  })
)

story("I49: sends a slow reader only the newest best price, after the reader has caught up", (venue) =>
  Effect.gen(function* () {
    const { maker } = yield* book(venue)
    yield* TestClock.adjust("1 second")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["bbo"]))
    yield* client.drain
    yield* client.lag(100 * 1024)
    for (const price of [199.99, 200]) {
      yield* maker.send(limit("BUY", 1, price))
      yield* venue.settle
      yield* TestClock.adjust("1 second")
    }
    assert.deepEqual(yield* client.drain, [])
    yield* client.lag(0)
    yield* TestClock.adjust("2 seconds")
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["bbo"])
    assert.deepInclude(frames[0], { sequence: 2, bid: [["200.00", "1"]] } as object)
  })
)

story("confirms a mixed request's valid streams, then sends one error per error code for the invalid ones", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.marketData
    const request = subscribe(["bbo", "trades", "mark_price"], [MarketSymbol.make("FOO-USD"), aapl])
    yield* client.send(request)
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["subscribed", "err", "err", "bbo", "mark_price"])
    assert.deepEqual(frames[0] as object, { type: "subscribed", channels: ["bbo", "mark_price"], symbols: [aapl] })
    assert.include((frames[1] as { err: { message: string } }).err.message, 'got "trades"')
    assert.deepEqual(frames[2] as object, {
      err: {
        error_code: "InvalidParameter",
        message: "unknown symbol FOO-USD",
        incoming_message: request
      }
    })
    yield* TestClock.adjust("1 second")
    assert.deepEqual(kinds(yield* client.drain), ["mark_price"])
  })
)

story("I50: rejects a request that has no valid stream, names the fault, and subscribes to nothing", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.marketData
    const errors = [
      ["{", "InvalidJSONFormat"],
      ["[]", "InvalidJSONFormat"],
      [JSON.stringify({ type: "subscribe", params: { channels: ["bbo"], symbols: [aapl] } }), "InvalidJSONFormat"],
      [JSON.stringify({ type: "auth", channels: ["bbo"], symbols: [aapl] }), "InvalidJSONFormat"],
      [JSON.stringify(subscribe(["trades"])), "InvalidJSONFormat"],
      [JSON.stringify(subscribe(["bbo"], [MarketSymbol.make("FOO-USD")])), "InvalidParameter"],
      [JSON.stringify(subscribe(["bbo"], [])), "InvalidParameter"],
      [JSON.stringify(subscribe(["level2"], [aapl], { sig_figs: [3] })), "InvalidParameter"],
      [JSON.stringify(subscribe(["level2"], [aapl], { sig_figs: "0" })), "InvalidJSONFormat"]
    ] as const
    for (const [text, code] of errors) {
      yield* client.sendText(text)
      const [frame] = yield* client.drain
      assert.strictEqual((frame as { err?: { error_code: string } }).err?.error_code, code, text)
    }
    yield* TestClock.adjust("2 seconds")
    assert.deepEqual(yield* client.drain, [])
    yield* client.send(subscribe(["bbo"]))
    assert.deepEqual(kinds(yield* client.drain), ["subscribed", "bbo"])
  })
)

story(
  "I48, I49: limits a client to 200 messages a minute, and closes a slow reader only at 1 MiB of unread data",
  (venue) =>
    Effect.gen(function* () {
      const slow = yield* venue.marketData
      const quick = yield* venue.marketData
      for (const client of [slow, quick]) yield* client.send(subscribe(["level2", "trade"]))
      yield* slow.drain
      yield* slow.lag(100 * 1024)
      yield* TestClock.adjust("1 second")
      assert.deepEqual(yield* slow.drain, [])
      const { maker } = yield* book(venue)
      const taker = yield* venue.trade(yield* venue.user("taker"), [])
      yield* slow.lag(2 * 1024 * 1024)
      yield* taker.send(market("BUY", 1))
      yield* venue.settle
      assert.strictEqual(slow.closedWith()?.code, 1013)
      assert.include(kinds(yield* quick.drain), "trade")
      yield* maker.close
      for (let i = 0; i < 200; i++) yield* quick.sendText("{")
      const answers = (yield* quick.drain).map((frame) => ("err" in frame ? frame.err.error_code : ""))
      assert.deepEqual(answers.slice(-1), ["RateLimited"])
      yield* quick.send(subscribe(["bbo"]))
      const [limited] = (yield* quick.drain).flatMap((frame) => ("err" in frame ? [frame.err] : []))
      assert.deepEqual(limited!.incoming_message, subscribe(["bbo"]))
      // The clock's current minute is partly over.
      assert.isAtMost(Number(/retry after ([\d.]+) s/.exec(limited!.message)![1]), 10)
      yield* TestClock.adjust("10 seconds")
      yield* quick.drain
      yield* quick.send(subscribe(["bbo"]))
      assert.deepEqual(kinds(yield* quick.drain), ["subscribed", "bbo"])
    }),
  friday + 50_000
)
