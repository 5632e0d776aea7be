/** Price channels of the market-data socket: external price, funding rate, open interest and price band. */
import type { Frame, Frames } from "@venue/api/marketData/FrameSchema"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { marketStream } from "@venue/domain/Market"
import { type Funded } from "@venue/domain/Funding"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as Client from "@venue/testing/Client"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deal, person, topUp } from "./Ruin.ts"
import { aapl, friday, gold, limit, saturday, story } from "./Story.ts"

const subscribe = (channels: ReadonlyArray<string>, symbols: ReadonlyArray<string> = [aapl]) => ({
  type: "subscribe",
  channels,
  symbols
})

const kinds = (frames: ReadonlyArray<Frame>) => frames.map((frame) => frame.type ?? "err")

/** Returns a gateway that has just started. */
const newGateway = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(MarketDataGateway.layer).pipe(Layer.provide(Layer.fresh(Feed.layer))))
  return Context.get(context, MarketDataGateway)
})

const heard = (gateway: MarketDataGateway["Service"]) => Client.openMarketData((transport) => gateway.open(transport))

/** Rests deep orders 40 bps above the external price. */
const leaning = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const maker = yield* venue.trade(yield* venue.user("maker", 1_000_000), [])
  yield* maker.sendAll([limit("BUY", 100, 200.8), limit("SELL", 100, 200.9)])
  yield* venue.settle
})

const lastHour = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(marketStream(aapl), 0, 100_000)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : MarketRecord.decode(events)))
    .findLast((event): event is Funded => event._tag === "Funded")!
})

story(
  "sends a first value on each channel, and one for every symbol with a price if the request is for all symbols",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3_410.87)
      yield* venue.settle
      const client = yield* venue.marketData
      yield* client.send(subscribe(["underlier", "funding", "open_interest", "minmax_price"], ["*"]))
      const frames = (yield* client.drain) as ReadonlyArray<Frame & { symbol: MarketSymbol }>
      assert.deepEqual(
        frames.slice(1).map(({ symbol, type }) => `${type} ${symbol}`),
        ["underlier", "funding", "open_interest", "minmax_price"].flatMap((type) => [
          `${type} ${aapl}`,
          `${type} ${gold}`
        ])
      )
      assert.deepInclude(frames[2], { price: "3410.87", source: "external" } as object)
      assert.deepInclude(frames[3], {
        funding_rate: "0",
        annualised_funding_rate: "0",
        time_remaining: 3_600
      } as object)
      assert.deepInclude(frames[5], { open_interest: "0" } as object)
      assert.deepInclude(frames[7], { min_price: "180.00", max_price: "220.00" } as object)
    })
)

story("rule 3.2: sends underlier once a second", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.marketData
    yield* client.send(subscribe(["underlier"]))
    yield* client.drain
    yield* venue.price(aapl, 204.37)
    yield* TestClock.adjust("2 seconds")
    const frames = yield* client.drain
    assert.deepEqual(kinds(frames), ["underlier", "underlier"])
    assert.deepInclude(frames[1], { price: "204.37" } as object)
  })
)

story(
  "rule 10.4: sends the hour's estimated funding rate each second, and the final rate at the end of the hour",
  (venue) =>
    Effect.gen(function* () {
      yield* leaning(venue)
      const client = yield* venue.marketData
      yield* client.send(subscribe(["funding"]))
      yield* client.drain
      yield* TestClock.adjust("2 minutes")
      yield* venue.settle
      const told = (yield* client.drain).flatMap((frame) => (frame.type === "funding" ? [frame] : []))
      assert.lengthOf(told, 120)
      assert.deepEqual(
        [told[0]!, told.at(-2)!].map(({ time_remaining: left }) => left),
        [119, 1]
      )
      const { rateE12 } = yield* lastHour
      assert.isAbove(rateE12, 0)
      // The samples of the last five seconds are not included yet.
      assert.closeTo(Number(told.at(-2)!.funding_rate), rateE12 / 1e12, 2e-8)
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude((yield* client.drain)[1], { funding_rate: "0", time_remaining: 3_598 } as object)
    }),
  friday + 58 * 60_000
)

story(
  "rule 10.4: a gateway that has just started sends the same funding rate as the other gateways",
  (venue) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("7 minutes")
      yield* leaning(venue)
      yield* TestClock.adjust("9 minutes")
      const gateway = yield* newGateway
      yield* venue.settle
      const [old, young] = [yield* venue.marketData, yield* heard(gateway)]
      for (let minute = 0; minute < 3; minute++) {
        const told: Array<Frame> = []
        for (const client of [old, young]) {
          yield* client.send(subscribe(["funding"]))
          told.push((yield* client.drain)[1]!)
        }
        assert.deepInclude(told[0], { type: "funding" })
        assert.isAbove(Number((told[0] as Frames["funding"]).funding_rate), 0)
        const { sequence: _old, ...one } = told[0] as Frames["funding"]
        const { sequence: _young, ...other } = told[1] as Frames["funding"]
        assert.deepEqual(other, one)
        for (const client of [old, young]) {
          yield* client.send({ ...subscribe(["funding"]), type: "unsubscribe" })
          yield* client.drain
        }
        yield* TestClock.adjust("1 minute")
      }
    }),
  friday
)

story(
  "rule 10.3: outside the underlier's trading hours, sends a first funding rate of 0 and no further value",
  (venue) =>
    Effect.gen(function* () {
      yield* leaning(venue)
      const client = yield* venue.marketData
      yield* client.send(subscribe(["funding"]))
      yield* TestClock.adjust("10 seconds")
      const frames = yield* client.drain
      assert.deepEqual(kinds(frames), ["subscribed", "funding"])
      assert.deepInclude(frames[1], { funding_rate: "0" } as object)
    }),
  saturday
)

story("rule 10.6: sends a funding rate of 0 while the market is halted, because the hour would be skipped", (venue) =>
  Effect.gen(function* () {
    yield* leaning(venue)
    yield* TestClock.adjust("5 minutes")
    yield* (yield* MarketClient).setTradingState(aapl, "HALTED")
    yield* venue.settle
    const client = yield* venue.marketData
    yield* client.send(subscribe(["funding"]))
    assert.deepInclude((yield* client.drain)[1], { funding_rate: "0" } as object)
  })
)

story("sends open_interest when it changes, at most once a second", (venue) =>
  Effect.gen(function* () {
    const [long, short] = [
      yield* venue.trade(yield* venue.user("ann"), []),
      yield* venue.trade(yield* venue.user("ben"), [])
    ]
    yield* TestClock.adjust("2 seconds")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["open_interest"]))
    yield* client.drain
    for (const [offered, taken] of [
      [2, 1],
      [1.5, 2.5]
    ] as const) {
      yield* short.send(limit("SELL", offered, 200))
      yield* venue.settle
      yield* long.send(limit("BUY", taken, 200))
      yield* venue.settle
      yield* TestClock.adjust("200 millis")
    }
    yield* TestClock.adjust("5 seconds")
    const told = (yield* client.drain).flatMap((frame) => (frame.type === "open_interest" ? [frame.open_interest] : []))
    assert.deepEqual(told, ["3.5"])
  })
)

story("sends open_interest after a trade in a quiet market even if the trade moves no price", (venue) =>
  Effect.gen(function* () {
    const [long, short] = [
      yield* venue.trade(yield* venue.user("ann"), []),
      yield* venue.trade(yield* venue.user("ben"), [])
    ]
    yield* short.send(limit("SELL", 10, 200))
    yield* venue.settle
    yield* long.send(limit("BUY", 1, 200))
    yield* venue.settle
    yield* TestClock.adjust("5 minutes")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["open_interest", "mark_price"]))
    yield* client.drain
    yield* long.send(limit("BUY", 2, 200))
    yield* venue.settle
    yield* TestClock.adjust("2 seconds")
    yield* venue.settle
    const frames = yield* client.drain
    const told = frames.flatMap((frame) => (frame.type === "open_interest" ? [frame.open_interest] : []))
    const marks = frames.flatMap((frame) => (frame.type === "mark_price" ? [frame.price] : []))
    assert.deepEqual([told, [...new Set(marks)]], [["3"], ["200"]])
  })
)

story("sends open_interest after a position in a quiet market is closed off the book", (venue) =>
  Effect.gen(function* () {
    const [ann, ben] = [yield* person(venue, "ann", 2_000), yield* person(venue, "ben", 1_110)]
    yield* topUp(150)
    yield* deal(venue, ann, ben, 50, 200)
    yield* TestClock.adjust("1 hour")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["open_interest", "trade"]))
    yield* client.drain
    // Ben is short and pays 23 USD for each of 50 units, which is more than he has.
    yield* (yield* MarketClient).payDividend(aapl, 20_000, 23e8)
    yield* TestClock.adjust("5 seconds")
    yield* venue.settle
    const frames = yield* client.drain
    const trades = frames.flatMap((frame) => (frame.type === "trade" ? [frame.execution_type] : []))
    const told = frames.flatMap((frame) => (frame.type === "open_interest" ? [frame.open_interest] : []))
    assert.deepEqual([trades, told], [["A"], ["0"]])
  })
)

story("rule 5: sends the accepted price range in minmax_price when the band moves, at most once a second", (venue) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("2 seconds")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["minmax_price"]))
    yield* TestClock.adjust("2 seconds")
    yield* client.drain
    for (const mark of [206, 207, 208, 209, 210]) {
      yield* venue.price(aapl, mark)
      yield* TestClock.adjust("100 millis")
    }
    yield* TestClock.adjust("2 seconds")
    const frames = yield* client.drain
    assert.isAtMost(frames.length, 2)
    assert.deepEqual(new Set(kinds(frames)), new Set(["minmax_price"]))
    assert.deepInclude(frames.at(-1), { min_price: "189.00", max_price: "231.00" } as object)
    const trader = yield* venue.trade(yield* venue.user("ann"))
    yield* trader.sendAll([limit("BUY", 1, 231.01), limit("BUY", 1, 231), limit("SELL", 1, 188.99)])
    yield* venue.settle
    const answers = (yield* trader.drain).map((frame) => frame.order_response?.status)
    assert.deepEqual(answers, ["PRICE_GREATER_THAN_MAX_PRICE", "ACK", "PRICE_LESS_THAN_MIN_PRICE"])
  })
)

story("repeats a quiet market's bbo every 5 s, and its open_interest and minmax_price every 10 s", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("ann"), [])
    yield* maker.send(limit("SELL", 2, 200))
    yield* venue.settle
    yield* TestClock.adjust("1 minute")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["bbo", "open_interest", "minmax_price"]))
    yield* client.drain
    const bboAfter = (millis: number) =>
      Effect.andThen(
        TestClock.adjust(millis),
        Effect.map(client.drain, (frames) => frames.filter((frame) => frame.type === "bbo"))
      )
    assert.lengthOf(yield* bboAfter(4_500), 0)
    const repeated = yield* bboAfter(500)
    assert.lengthOf(repeated, 1)
    assert.deepInclude(repeated[0], { bid: [], ask: [["200.00", "2"]] } as object)
    // A changed frame restarts the interval after which the last frame is repeated.
    yield* TestClock.adjust("2 seconds")
    yield* maker.send(limit("SELL", 1, 199.9))
    yield* venue.settle
    assert.lengthOf(yield* bboAfter(4_900), 1)
    assert.lengthOf(yield* bboAfter(100), 1)
    yield* TestClock.adjust("30 seconds")
    const kinds = (yield* client.drain).map((frame) => frame.type)
    const count = (kind: string) => kinds.filter((one) => one === kind).length
    assert.deepEqual([count("bbo"), count("open_interest"), count("minmax_price")], [6, 3, 3])
    yield* client.send({ ...subscribe(["bbo", "open_interest", "minmax_price"]), type: "unsubscribe" })
    yield* client.drain
    yield* TestClock.adjust("30 seconds")
    assert.deepEqual(yield* client.drain, [])
  })
)
