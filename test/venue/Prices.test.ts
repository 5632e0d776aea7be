/** Trading with prices from external sources: a weekend, a stale source, and a market that moves to another owner. */
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { pass, priced, TestSource, venueWith } from "../cluster/singletons/TestSource.ts"
import { aapl, gold, limit, say, told } from "./Story.ts"

const both = () =>
  new TestSource("vendor", [
    [aapl, "AAPL"],
    [gold, "XAU"]
  ])

const silent = (said: () => void, seconds: number) =>
  Effect.repeat(
    Effect.suspend(() => {
      said()
      return TestClock.adjust("1 second")
    }),
    { times: seconds - 1 }
  )

it.effect(
  "rule 3.4: accepts all orders over a weekend, but after the reopening only reducing orders until a price arrives",
  () => {
    const vendor = both()
    return venueWith(
      [vendor.source],
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const alice = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
        const answer = Effect.andThen(venue.settle, Effect.map(alice.drain, told))
        vendor.say("AAPL", 200)
        yield* pass
        // Midnight in New York: stocks are closed until Monday.
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        vendor.say("AAPL", 150)
        yield* pass
        assert.deepInclude(yield* priced(aapl), { source: "internal", oracleE8: 200e8 })
        yield* alice.send(limit("BUY", 1, 195))
        assert.deepEqual(yield* answer, ["ACK"])
        yield* TestClock.setTime(Date.UTC(2026, 10, 23, 5))
        yield* venue.settle
        assert.deepInclude(yield* priced(aapl), { source: "stale" })
        yield* alice.send(limit("BUY", 1, 195))
        assert.deepEqual(yield* answer, ["REJECTED_MARKET_CLOSED"])
        vendor.say("AAPL", 188)
        yield* pass
        assert.deepInclude(yield* priced(aapl), { source: "external", oracleE8: 188e8 })
        yield* alice.send(limit("BUY", 1, 185))
        assert.deepEqual(yield* answer, ["ACK"])
      })
    )
  }
)

it.effect(
  "I29: if one market's price is stale, its positions can still be closed, and other markets keep trading",
  () => {
    const vendor = both()
    return venueWith(
      [vendor.source],
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const alice = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
        const bob = yield* venue.trade(yield* venue.user("bob"), [])
        const answer = Effect.andThen(venue.settle, Effect.map(alice.drain, told))
        vendor.say("AAPL", 200)
        vendor.say("XAU", 3_400)
        yield* pass
        yield* bob.send(limit("SELL", 5, 200))
        yield* venue.settle
        yield* alice.send(limit("BUY", 5, 200))
        assert.deepEqual(yield* answer, ["ACK", "FILLED"])
        yield* bob.send(limit("BUY", 5, 199))
        yield* silent(() => vendor.say("XAU", 3_400), 61)
        yield* alice.send(limit("BUY", 1, 199))
        yield* alice.send(limit("BUY", 1, 3_390, { symbol: gold }))
        assert.deepEqual((yield* answer).toSorted(), ["ACK", "REJECTED_MARKET_CLOSED"])
        yield* alice.send(limit("SELL", 2, 199))
        assert.deepEqual(yield* answer, ["ACK", "FILLED"])
        yield* alice.send(say("close_position", { symbol: aapl }))
        assert.deepEqual(yield* answer, ["ACK", "FILLED"])
      })
    )
  }
)

it.effect("I6, I29: a market keeps its stale price after another owner claims its log", () => {
  const vendor = both()
  return venueWith(
    [vendor.source],
    Effect.gen(function* () {
      const venue = yield* TestVenue
      const journal = yield* Journal
      const alice = yield* venue.trade(yield* venue.user("alice"), ["order_responses"])
      vendor.say("AAPL", 200)
      yield* pass
      yield* TestClock.adjust("62 seconds")
      const before = yield* priced(aapl)
      yield* journal.claim(marketStream(aapl), { restore: () => true, replay: () => {} }, Effect.succeed(true))
      vendor.say("AAPL", 2_000)
      yield* TestClock.adjust("5 seconds")
      yield* venue.settle
      yield* alice.send(limit("BUY", 1, 199))
      yield* venue.settle
      assert.deepEqual(told(yield* alice.drain), ["REJECTED_MARKET_CLOSED"])
      assert.deepInclude(yield* priced(aapl), { source: "stale", toldAtMillis: before!.toldAtMillis })
      vendor.say("AAPL", 201)
      yield* pass
      assert.deepInclude(yield* priced(aapl), { source: "external", oracleE8: 201e8 })
    })
  )
})
