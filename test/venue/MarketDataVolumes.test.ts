/** Volume channels of the market-data socket: trades, current candles and daily statistics. */
import type { Frame, Frames } from "@venue/api/marketData/FrameSchema"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { Feed } from "@venue/cluster/feed/Feed"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import * as Client from "@venue/testing/Client"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { deal, fifty, person, provide, topUp } from "./Ruin.ts"
import { aapl, gold, story } from "./Story.ts"

const subscribe = (channels: ReadonlyArray<string>, symbols: ReadonlyArray<string> = [aapl], more: object = {}) => ({
  type: "subscribe",
  channels,
  symbols,
  ...more
})

const ofType = <Type extends keyof Frames>(frames: ReadonlyArray<Frame>, type: Type) =>
  frames.filter((frame) => frame.type === type) as ReadonlyArray<unknown> as ReadonlyArray<Frames[Type]>

const executions = (frames: ReadonlyArray<Frame>) =>
  ofType(frames, "trade").map((trade) => `${trade.execution_type} ${trade.side} ${trade.size} at ${trade.price}`)

/** Returns a connection to a gateway that has just started. */
const newConnection = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(MarketDataGateway.layer).pipe(Layer.provide(Layer.fresh(Feed.layer))))
  const gateway = Context.get(context, MarketDataGateway)
  return yield* Client.openMarketData((transport) => gateway.open(transport))
})

/** Returns a function that trades a quantity at a price between two new traders. */
const traders = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const ann = yield* person(venue, "ann", 1_000_000)
  const ben = yield* person(venue, "ben", 1_000_000)
  return (units: number, price: number) => deal(venue, ann, ben, units, price)
})

const all = { intervals: ["1MIN", "5MINS", "15MINS", "30MINS", "1HOUR", "4HOURS", "1DAY"] }

story("rule 9.9: sends a takeover with execution type A, and does not count it as volume", (venue) =>
  Effect.gen(function* () {
    yield* fifty(venue)
    yield* provide(yield* person(venue, "cid", 100_000))
    const client = yield* venue.marketData
    yield* client.send(subscribe(["trade", "market_stats"]))
    const before = ofType(yield* client.drain, "market_stats")[0]!
    yield* venue.price(aapl, 186)
    yield* TestClock.adjust("2 seconds")
    yield* venue.settle
    const frames = yield* client.drain
    assert.deepEqual(executions(frames), ["A sell 50 at 186.00"])
    assert.deepEqual(before.rolling_volumes, [{ symbol: aapl, quantity_24h: "50", usd_notional_24h: "10000" }])
    assert.deepEqual(ofType(frames, "market_stats").at(-1)!.rolling_volumes, before.rolling_volumes)
  })
)

story("rule 9.14: sends an auto-deleveraging trade with execution type A", (venue) =>
  Effect.gen(function* () {
    const [alice, bob] = [yield* person(venue, "alice", 1_110), yield* person(venue, "bob", 2_000)]
    yield* topUp(150)
    yield* deal(venue, alice, bob, 50, 200)
    const client = yield* venue.marketData
    yield* client.send(subscribe(["trade"]))
    yield* venue.price(aapl, 170)
    yield* TestClock.adjust("1 second")
    yield* venue.settle
    assert.deepEqual(executions(yield* client.drain), ["A sell 50 at 178.00"])
  })
)

story("rule 19.3: sends a delisted contract's settlement trade with execution type S", (venue) =>
  Effect.gen(function* () {
    const trade = yield* traders(venue)
    yield* trade(5, 200)
    const client = yield* venue.marketData
    yield* client.send(subscribe(["trade"]))
    yield* TestClock.adjust("30 minutes")
    const markets = yield* MarketClient
    yield* markets.setTradingState(aapl, "HALTED")
    yield* markets.delist(aapl)
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    assert.match(executions(yield* client.drain).join(), /^S (buy|sell) 5 at 200.00$/)
  })
)

story(
  "shows the mark in a candle before any trade, then sends each changed candle at most once a second and at its close",
  (venue) =>
    Effect.gen(function* () {
      const trade = yield* traders(venue)
      yield* TestClock.adjust("10 seconds")
      const client = yield* venue.marketData
      yield* client.send(subscribe(["candle"], [aapl], { intervals: ["1MIN"] }))
      const { sequence: _, ...first } = ofType(yield* client.drain, "candle")[0]!
      const start = "2026-11-20T15:00:00Z"
      const still = { open: "200", high: "200", low: "200", close: "200", usdVolume: 0, trades: 0 }
      assert.deepEqual(first, { type: "candle", symbol: aapl, start, resolution: "1MIN", ...still })
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(yield* client.drain, [])
      yield* trade(2, 201)
      yield* trade(1, 200.5)
      yield* TestClock.adjust("5 seconds")
      const running = ofType(yield* client.drain, "candle")
      const traded = { start, open: "201", high: "201", low: "200.5", close: "200.5", usdVolume: 602, trades: 2 }
      assert.lengthOf(running, 1)
      assert.deepInclude(running[0], traded)
      yield* TestClock.adjust("1 minute")
      const next = ofType(yield* client.drain, "candle")
      assert.lengthOf(next, 2)
      assert.deepInclude(next[0], traded)
      const flat = { open: "200.5", high: "200.5", low: "200.5", close: "200.5", usdVolume: 0, trades: 0 }
      assert.deepInclude(next[1], { start: "2026-11-20T15:01:00Z", ...flat })
    })
)

story(
  "I49: sends closed candles to a slow reader too, but running candles only after the reader has caught up",
  (venue) =>
    Effect.gen(function* () {
      const trade = yield* traders(venue)
      yield* TestClock.adjust("10 seconds")
      const client = yield* venue.marketData
      yield* client.send(subscribe(["candle"], [aapl], { intervals: ["1MIN", "5MINS"] }))
      yield* client.drain
      yield* client.lag(100 * 1024)
      yield* trade(2, 201)
      yield* TestClock.adjust("40 seconds")
      assert.deepEqual(yield* client.drain, [])
      yield* TestClock.adjust("75 seconds")
      const first = { start: "2026-11-20T15:00:00Z", open: "201", close: "201", trades: 1 }
      const still = { start: "2026-11-20T15:01:00Z", open: "201", close: "201", trades: 0 }
      const closed = ofType(yield* client.drain, "candle")
      assert.deepEqual(
        closed.map(({ close, open, resolution, sequence, start, trades }) => ({
          resolution,
          sequence,
          start,
          open,
          close,
          trades
        })),
        [
          { resolution: "1MIN", sequence: 3, ...first },
          { resolution: "1MIN", sequence: 4, ...still }
        ]
      )
      yield* client.lag(0)
      yield* TestClock.adjust("1 second")
      assert.deepEqual(
        ofType(yield* client.drain, "candle").map(({ resolution, start, trades }) => [resolution, start, trades]),
        [
          ["1MIN", "2026-11-20T15:02:00Z", 0],
          ["5MINS", "2026-11-20T15:00:00Z", 1]
        ]
      )
    })
)

story("starts candles at multiples of their length, and sends candles for every priced symbol", (venue) =>
  Effect.gen(function* () {
    const trade = yield* traders(venue)
    yield* TestClock.adjust("97 minutes")
    yield* trade(1, 200)
    yield* TestClock.adjust("10 minutes")
    yield* trade(3, 202)
    yield* TestClock.adjust("2 seconds")
    const client = yield* venue.marketData
    yield* client.send(subscribe(["candle"], ["*"], all))
    const frames = yield* client.drain
    assert.deepInclude(frames[0], { type: "subscribed", ...all } as object)
    assert.deepEqual(
      ofType(frames, "candle").map(
        (candle) => `${candle.symbol} ${candle.resolution} ${candle.start} ${candle.open} ${candle.trades}`
      ),
      [
        `${aapl} 1MIN 2026-11-20T16:47:00Z 202 1`,
        `${aapl} 5MINS 2026-11-20T16:45:00Z 202 1`,
        `${aapl} 15MINS 2026-11-20T16:45:00Z 202 1`,
        `${aapl} 30MINS 2026-11-20T16:30:00Z 200 2`,
        `${aapl} 1HOUR 2026-11-20T16:00:00Z 200 2`,
        `${aapl} 4HOURS 2026-11-20T16:00:00Z 200 2`,
        `${aapl} 1DAY 2026-11-20T00:00:00Z 200 2`
      ]
    )
  })
)

story(
  "sends market_stats for one symbol every second and for all symbols every ten seconds, and a snapshot on request",
  (venue) =>
    Effect.gen(function* () {
      yield* venue.price(gold, 3_410.95)
      const trade = yield* traders(venue)
      yield* trade(2, 200)
      yield* TestClock.adjust("10 seconds")
      const client = yield* venue.marketData
      yield* client.send(subscribe(["market_stats"], ["*", aapl]))
      const first = ofType(yield* client.drain, "market_stats")
      assert.deepEqual(
        first.map(({ symbol }) => symbol),
        ["*", aapl]
      )
      assert.deepEqual(
        first[0]!.mark_prices.map(({ price, symbol }) => `${symbol} ${price}`),
        [`${aapl} 200`, `${gold} 3410.95`]
      )
      const { bbos, daily_volumes, funding_rates, open_interests, rolling_volumes } = first[1]!
      assert.deepEqual([bbos.length, open_interests.length, funding_rates.length], [1, 1, 1])
      assert.deepEqual(daily_volumes, [{ symbol: aapl, volume: "2" }])
      assert.deepEqual(rolling_volumes, [{ symbol: aapl, quantity_24h: "2", usd_notional_24h: "400" }])
      yield* TestClock.adjust("20 seconds")
      const told = ofType(yield* client.drain, "market_stats").map(({ symbol }) => symbol)
      assert.deepEqual(
        [told.filter((symbol) => symbol === aapl).length, told.filter((symbol) => symbol === "*").length],
        [20, 2]
      )
      yield* client.send({ ...subscribe(["market_stats"], ["*"]), type: "unsubscribe" })
      yield* TestClock.adjust("20 seconds")
      assert.notInclude(
        ofType(yield* client.drain, "market_stats").map(({ symbol }) => symbol),
        "*"
      )
    })
)

story("moves the 24-hour window of market_stats forward by the minute, and starts a day at 20:00 in Chicago", (venue) =>
  Effect.gen(function* () {
    const trade = yield* traders(venue)
    yield* trade(2, 200)
    const client = yield* venue.marketData
    const volumes = Effect.gen(function* () {
      yield* client.send(subscribe(["market_stats"]))
      const { daily_volumes, rolling_volumes } = ofType(yield* client.drain, "market_stats")[0]!
      yield* client.send({ ...subscribe(["market_stats"]), type: "unsubscribe" })
      return [daily_volumes[0]!.volume, rolling_volumes[0]!.quantity_24h]
    })
    assert.deepEqual(yield* volumes, ["2", "2"])
    yield* TestClock.adjust("11 hours")
    assert.deepEqual(yield* volumes, ["0", "2"])
    yield* trade(1, 200)
    yield* TestClock.adjust("779 minutes")
    assert.deepEqual(yield* volumes, ["1", "3"])
    yield* TestClock.adjust("1 minute")
    assert.deepEqual(yield* volumes, ["1", "1"])
  })
)

for (const waits of ["0 seconds", "1 minute", "40 hours"] as const) {
  story(
    `rule 19.2: ${waits} after a split, sends candles and volumes in new units, also from a gateway that has just started`,
    (venue) =>
      Effect.gen(function* () {
        const markets = yield* MarketClient
        const trade = yield* traders(venue)
        yield* trade(3, 200)
        yield* TestClock.adjust("17 minutes")
        yield* trade(5, 202)
        yield* TestClock.adjust("2 minutes")
        yield* markets.setTradingState(aapl, "HALTED")
        yield* markets.splitContract(aapl, { exDay: 20_000, numerator: 4, denominator: 1 })
        yield* markets.setTradingState(aapl, "TRADING")
        yield* TestClock.adjust("2 minutes")
        yield* trade(2, 51)
        yield* TestClock.adjust(waits)
        const young = yield* newConnection
        yield* venue.settle
        const told: Array<ReadonlyArray<object>> = []
        for (const client of [yield* venue.marketData, young]) {
          yield* client.send(subscribe(["candle", "market_stats"], [aapl], all))
          told.push(yield* client.drain)
        }
        assert.deepEqual(told[1], told[0])
        const [stats] = ofType(told[0] as ReadonlyArray<Frame>, "market_stats")
        const hour = ofType(told[0] as ReadonlyArray<Frame>, "candle").find(({ resolution }) => resolution === "1HOUR")!
        const isLater = waits === "40 hours"
        assert.strictEqual(stats!.rolling_volumes[0]!.quantity_24h, isLater ? "0" : "34")
        assert.deepEqual([hour.open, hour.high, hour.close], isLater ? ["51", "51", "51"] : ["50", "51", "51"])
      })
  )
}

for (const waits of ["0 seconds", "1 minute"] as const) {
  story(
    `a gateway that starts ${waits} after a trade sends the same candles and volumes as the other gateways`,
    (venue) =>
      Effect.gen(function* () {
        const trade = yield* traders(venue)
        const rounds = [
          [3, 200],
          [1, 201],
          [2.5, 199.5]
        ] as const
        for (const [units, price] of rounds) {
          yield* TestClock.adjust("17 minutes")
          yield* trade(units, price)
        }
        yield* TestClock.adjust(waits)
        const young = yield* newConnection
        yield* venue.settle
        yield* trade(0.5, 200)
        const told: Array<ReadonlyArray<object>> = []
        for (const client of [yield* venue.marketData, young]) {
          yield* client.send(subscribe(["candle", "market_stats"], [aapl], all))
          told.push(yield* client.drain)
        }
        assert.lengthOf(told[0]!, 9)
        assert.deepEqual(told[1], told[0])
        assert.deepEqual((told[0]!.at(-1) as Frames["market_stats"]).rolling_volumes, [
          { symbol: aapl, quantity_24h: "7", usd_notional_24h: "1399.75" }
        ])
      })
  )
}
