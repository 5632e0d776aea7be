/** A venue without activity: it sleeps until work is due, and then continues unchanged. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { counted } from "../Wakes.ts"
import { aapl, friday, gold, limit, say, story, told } from "./Story.ts"

it.effect(
  "a venue whose markets are all idle wakes a few hundred times in an hour, and proportionally often in a day",
  () =>
    Effect.gen(function* () {
      const { clock, wakes } = yield* counted
      yield* TestClock.setTime(friday)
      yield* Effect.gen(function* () {
        const venue = yield* TestVenue
        for (const [symbol, usd] of [
          [aapl, 200],
          ["NVDA-USD", 150],
          [gold, 3400]
        ] as const)
          yield* venue.price(symbol, usd)
        const alice = yield* venue.trade(yield* venue.user("alice"))
        const bob = yield* venue.trade(yield* venue.user("bob"))
        yield* alice.send(limit("SELL", 1, 200))
        yield* bob.send(limit("BUY", 1, 200))
        yield* venue.settle
        // The book's mid price differs from the external price, so the mark moves for a while.
        yield* alice.send(limit("SELL", 1, 202))
        yield* bob.send(limit("BUY", 1, 199))
        yield* venue.settle
        yield* TestClock.adjust("1 hour")
        const settled = wakes()
        yield* TestClock.adjust("1 hour")
        assert.isBelow(wakes() - settled, 600)
        yield* TestClock.adjust("22 hours")
        assert.isBelow(wakes() - settled, 23 * 600)
        assert.deepEqual(told(yield* alice.drain), ["ACK", "fill_response", "FILLED", "ACK"])
      }).pipe(
        Effect.scoped,
        Effect.provide(layerMemory),
        Effect.provideService(VenueSettings, defaults),
        Effect.provideService(Clock.Clock, clock)
      )
    })
)

story("keeps a quiet market's mark unchanged until an order, a price or the close of trading changes it", (venue) =>
  Effect.gen(function* () {
    const maker = yield* venue.trade(yield* venue.user("maker"), [])
    yield* maker.sendAll([limit("BUY", 1, 199), limit("SELL", 1, 202)])
    yield* venue.settle
    yield* TestClock.adjust("1 hour")
    const data = yield* venue.marketData
    const mark = Effect.gen(function* () {
      yield* venue.settle
      const subscription = { channels: ["mark_price"], symbols: [aapl] }
      yield* data.send({ type: "subscribe", ...subscription })
      yield* data.send({ type: "unsubscribe", ...subscription })
      return (yield* data.drain).flatMap((frame) => (frame.type === "mark_price" ? [frame] : []))[0]!
    })
    const settled = yield* mark
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* mark).time, settled.time)
    // The average starts to fall towards 200.25.
    yield* maker.send(limit("SELL", 1, 201.5))
    yield* venue.settle
    yield* TestClock.adjust("100 millis")
    const moved = yield* mark
    assert.isAbove(Date.parse(moved.time), Date.parse(settled.time))
    yield* TestClock.adjust("1 hour")
    const again = yield* mark
    yield* venue.price(aapl, 210)
    assert.isAbove(Number((yield* mark).price), Number(again.price))
    yield* TestClock.adjust("1 hour")
    const before = yield* mark
    // Advances to the close of New York.
    yield* TestClock.setTime(Date.UTC(2026, 10, 20, 21))
    yield* venue.settle
    assert.strictEqual(Date.parse((yield* mark).time), Date.UTC(2026, 10, 20, 21))
    assert.isBelow(Date.parse(before.time), Date.UTC(2026, 10, 20, 21))
  })
)

story("after a quiet day, immediately accepts and fills an order within that day's price bands", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"), [])
    yield* alice.send(limit("BUY", 1, 212))
    yield* alice.send(say("cancel_all_orders"))
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["ACK", "ack", "CANCELLED"])
    yield* TestClock.adjust("1 day")
    yield* alice.sendAll([limit("BUY", 1, 212), limit("BUY", 1, 199)])
    yield* bob.send(limit("SELL", 1, 199))
    yield* venue.settle
    assert.deepEqual(told(yield* alice.drain), ["PRICE_GREATER_THAN_MAX_PRICE", "ACK", "fill_response", "FILLED"])
    yield* bob.send(say("subscribe", { channels: ["balances"] }))
    yield* venue.settle
    yield* bob.drain
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    assert.deepEqual(told(yield* bob.drain), ["balance_response", "balance_response", "balance_response"])
  })
)

story(
  "I34: keeps an armed connection's lease through a quiet day, and cancels its orders when its gateway stops",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const alice = yield* venue.user("alice")
      const armed = yield* venue.trade(alice, [], { gateway })
      const other = yield* venue.trade(alice)
      yield* TestClock.adjust("1 day")
      yield* armed.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
      yield* armed.take("ack")
      yield* other.send(limit("BUY", 1, 190))
      yield* TestClock.adjust("1 minute")
      assert.deepEqual(told(yield* other.drain), ["ACK"])
      yield* gateway.cut
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(yield* other.drain, [])
      yield* TestClock.adjust("2500 millis")
      yield* venue.settle
      assert.deepEqual(told(yield* other.drain), ["CANCELLED"])
    })
)

story("I51: reports a missing outcome as unknown on time, even after a quiet day", (venue) =>
  Effect.gen(function* () {
    const gateway = yield* venue.gateway
    const alice = yield* venue.user("alice")
    const client = yield* venue.trade(alice, [], { gateway })
    yield* TestClock.adjust("1 day")
    yield* gateway.cutFrom(alice.userId)
    yield* client.send(limit("BUY", 1, 190))
    yield* TestClock.adjust("5 seconds")
    assert.deepEqual(yield* client.drain, [])
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual((yield* client.take("err")).err.error_code, "ServerError")
  })
)

story("a market that has claimed its log again accepts orders even after an hour without activity", (venue) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const markets = yield* MarketClient
    const client = yield* venue.trade(yield* venue.user("alice"))
    // Another owner has briefly had the market. The current owner detects this at its next price, which is lost.
    yield* journal.claim(marketStream(aapl), { restore: () => true, replay: () => {} }, Effect.succeed(true))
    yield* Effect.flip(markets.observe(aapl, 20_100_000_000, "operator"))
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    yield* TestClock.adjust("1 hour")
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])
  })
)
