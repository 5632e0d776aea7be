/** Tests of the price feed of a whole venue. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PriceSource } from "@venue/providers/prices/PriceSource"
import * as SimulatedPrices from "@venue/simulation/prices/SimulatedPrices"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import { aapl, limit, told } from "../../venue/Story.ts"
import { pass, price, priced, TestSource, venueWith } from "./TestSource.ts"

const eur = MarketSymbol.make("EUR-USD")

it.effect("sends the median of the active sources, although each source uses its own contract name", () => {
  const [one, two, three] = [
    new TestSource("one", [[aapl, "AAPL"]]),
    new TestSource("two", [
      [aapl, "US.APPLE"],
      [eur, "EURUSD"]
    ]),
    new TestSource("three", [[aapl, "1"]])
  ] as const
  return venueWith(
    [one.source, two.source, three.source],
    Effect.gen(function* () {
      one.say("AAPL", 200)
      yield* pass
      assert.strictEqual(yield* price(aapl), 200)
      two.say("US.APPLE", 201)
      two.say("EURUSD", 1.085)
      two.say("NOBODY", 5)
      yield* pass
      assert.strictEqual(yield* price(aapl), 200.5)
      assert.strictEqual(yield* price(eur), 1.085)
      three.say("1", 2_010)
      yield* pass
      assert.strictEqual(yield* price(aapl), 201)
      // A silent source no longer counts.
      yield* TestClock.adjust("9 seconds")
      one.say("AAPL", 199)
      yield* TestClock.adjust("1 second")
      one.say("AAPL", 198)
      yield* pass
      assert.strictEqual(yield* price(aapl), 198)
    })
  )
})

it.effect("replaces an operator's price only with newer quotes", () => {
  const one = new TestSource("one", [[aapl, "A"]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      const venue = yield* TestVenue
      one.say("A", 200)
      yield* pass
      one.say("A", 201)
      yield* TestClock.adjust("10 millis")
      yield* venue.price(aapl, 190)
      yield* pass
      assert.strictEqual(yield* price(aapl), 190)
      one.say("A", 202)
      yield* pass
      assert.strictEqual(yield* price(aapl), 202)
    })
  )
})

it.effect(
  "I29: sends a symbol's price only if the required number of sources, or all of the symbol's sources, report one",
  () => {
    const [one, two] = [
      new TestSource("one", [[aapl, "A"]]),
      new TestSource("two", [
        [aapl, "A"],
        [eur, "E"]
      ])
    ] as const
    return venueWith(
      [one.source, two.source],
      Effect.gen(function* () {
        one.say("A", 200)
        two.say("E", 1.085)
        yield* pass
        assert.isUndefined(yield* price(aapl))
        assert.strictEqual(yield* price(eur), 1.085)
        two.say("A", 201)
        yield* pass
        assert.strictEqual(yield* price(aapl), 200.5)
        for (let second = 0; second < 71; second++) {
          two.say("A", 300)
          yield* TestClock.adjust("1 second")
        }
        yield* pass
        assert.deepInclude(yield* priced(aapl), { source: "stale" })
      }),
      2
    )
  }
)

it.effect("I29: rejects a price that jumps tenfold, after which the market turns stale", () => {
  const one = new TestSource("one", [[aapl, "AAPL"]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const trader = yield* venue.trade(yield* venue.user("trader"))
      one.say("AAPL", 200)
      yield* pass
      for (let second = 0; second < 61; second++) {
        one.say("AAPL", 2_000)
        yield* TestClock.adjust("1 second")
      }
      yield* venue.settle
      assert.deepInclude(yield* priced(aapl), { oracleE8: 200e8, rejections: 3, source: "stale" })
      yield* trader.send(limit("BUY", 1, 199))
      yield* venue.settle
      assert.deepEqual(told(yield* trader.drain), ["REJECTED_MARKET_CLOSED"])
      one.say("AAPL", 201)
      yield* pass
      yield* trader.send(limit("BUY", 1, 199))
      yield* venue.settle
      assert.deepEqual(told(yield* trader.drain), ["ACK"])
    })
  )
})

it.effect("I29: if one market's price turns stale, other markets' prices stay fresh", () => {
  const one = new TestSource("one", [
    [aapl, "AAPL"],
    [eur, "EURUSD"]
  ])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      one.say("AAPL", 200)
      for (let second = 0; second < 62; second++) {
        one.say("EURUSD", 1.085)
        yield* TestClock.adjust("1 second")
      }
      yield* (yield* TestVenue).settle
      assert.deepInclude(yield* priced(aapl), { source: "stale" })
      assert.deepInclude(yield* priced(eur), { source: "external" })
    })
  )
})

it.effect("logs a source once if the source sends no price of a symbol for 1 minute during trading hours", () => {
  const lines: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
  const us100 = MarketSymbol.make("US100-USD")
  const one = new TestSource("one", [
    [aapl, "AAPL"],
    [eur, "EURUSD"],
    [us100, { future: "NQ" }]
  ])
  const two = new TestSource("two", [[aapl, "US.APPLE"]])
  return venueWith(
    [one.source, two.source],
    Effect.gen(function* () {
      one.say("AAPL", 200)
      one.say("EUR/USD", 1.085)
      one.say("NQ", 21_105)
      yield* TestClock.adjust("3 minutes")
      const named = lines.filter((line) => String(line).includes("has sent no price"))
      assert.lengthOf(named, 2)
      assert.include(String(named[0]), "one has sent no price for EUR-USD, US100-USD within 1 minute")
      assert.include(String(named[1]), "two has sent no price for AAPL-USD within 1 minute")
    })
  ).pipe(Effect.provide(Logger.layer([logger])))
})

it.effect("rule 3.8: prices an index as soon as its settlement price has been recorded on any node", () => {
  const us100 = MarketSymbol.make("US100-USD")
  const one = new TestSource("one", [[us100, { future: "NQ" }]])
  return venueWith(
    [one.source],
    Effect.gen(function* () {
      one.say("NQ", 21_105)
      yield* pass
      assert.isUndefined(yield* price(us100))
      const day = {
        symbol: us100,
        day: "2026-11-19",
        officialCloseE8: 21_000e8,
        settlementE8: 21_080e8,
        futureSymbol: null
      }
      yield* (yield* FuturesReference).record(day)
      yield* TestClock.adjust("10 seconds")
      one.say("NQ", 21_105)
      yield* pass
      assert.closeTo((yield* price(us100))!, 21_024.905, 0.001)
    })
  )
})

it.effect("restarts a source that throws, and continues with the other sources", () => {
  const one = new TestSource("one", [[aapl, "AAPL"]])
  let begun = 0
  const broken: PriceSource = {
    name: "broken",
    symbols: new Map(),
    run: () =>
      Effect.andThen(
        Effect.sync(() => void begun++),
        Effect.die("broken")
      )
  }
  return venueWith(
    [broken, one.source],
    Effect.gen(function* () {
      one.say("AAPL", 200)
      yield* TestClock.adjust("6 seconds")
      yield* (yield* TestVenue).settle
      assert.isAtLeast(begun, 2)
      assert.strictEqual(yield* price(aapl), 200)
    })
  )
})

it.effect("a simulated source continues from an operator's price", () =>
  venueWith(
    [SimulatedPrices.make({ seed: 1, speed: 1, symbols: [aapl] })],
    Effect.gen(function* () {
      yield* pass
      assert.closeTo((yield* price(aapl))!, 200, 0.1)
      yield* (yield* TestVenue).price(aapl, 400)
      yield* TestClock.adjust("30 seconds")
      yield* (yield* TestVenue).settle
      const found = (yield* priced(aapl))!
      assert.strictEqual(found.source, "external")
      assert.closeTo(found.oracleE8, 400e8, 4e8)
    })
  )
)
