/**
 * A market's owner crashes during a decision: before its row is committed, or before any client receives the result.
 */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import * as Funding from "@venue/domain/Funding"
import { initialInstruments } from "@venue/domain/Instrument"
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { dying } from "./Dying.ts"
import { aapl, friday, limit, market, story, told } from "./Story.ts"

/** Returns all events in AAPL's log, and the number of claims. */
const log = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(marketStream(aapl), 0, 100_000)
  const events = rows.flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
  return { events, claims: rows.at(-1)!.epoch }
})

/** Waits until another owner has the market and no work is pending. */
const later = (venue: TestVenue["Service"]) => Effect.andThen(TestClock.adjust("5 seconds"), venue.settle)

/**
 * Alice bought two at 200 with attached stops, and two more with a stop at the same price. Bob bids below that price.
 */
const stops = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const alice = yield* venue.trade(yield* venue.user("alice"))
  const bob = yield* venue.trade(yield* venue.user("bob"), [])
  yield* bob.send(limit("SELL", 4, 200))
  yield* venue.settle
  yield* alice.sendAll([
    limit("BUY", 2, 200, { take_profit: 210, stop_loss: 195 }),
    market("BUY", 2),
    limit("SELL", 2, 195, { order_type: "STOP_LOSS" })
  ])
  yield* bob.send(limit("BUY", 9, 194.5))
  yield* venue.settle
  yield* alice.drain
  return alice
})

const sold = ["ACK", "CANCELLED", "fill_response", "FILLED", "ACK", "fill_response", "FILLED"]

/** Checks that each of the two stops fired once and closed its quantity, and that the sums are zero. */
const firedOnce = Effect.gen(function* () {
  const { claims, events } = yield* log
  assert.strictEqual(claims, 2)
  const fired = events.flatMap((event) => (event._tag === "Triggered" ? [event.order.orderId.text] : []))
  assert.deepEqual([fired.length, new Set(fired).size], [2, 2])
  const { cash, positions } = yield* (yield* MarketClient).totals(aapl)
  assert.deepEqual([positions, cash], [0, 0])
})

story(
  "I30, I4: fires each stop once if the owner crashes before it records a mark and the mark is then sent again",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* stops(venue)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(venue.price(aapl, 194.99))))
      yield* later(venue)
      assert.deepEqual(yield* alice.drain, [])
      yield* venue.price(aapl, 194.99)
      yield* later(venue)
      assert.deepEqual(told(yield* alice.drain), sold)
      yield* firedOnce
    }),
  friday,
  dying("before its row is committed", "Triggered")
)

story(
  "I30, I5: fires and reports each stop once if the owner crashes right after committing that the stop fired",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* stops(venue)
      // The price source receives no confirmation, so it sends the price again.
      assert.isTrue(Exit.isFailure(yield* Effect.exit(venue.price(aapl, 194.99))))
      yield* later(venue)
      assert.deepEqual(told(yield* alice.drain), sold)
      yield* venue.price(aapl, 194.99)
      yield* later(venue)
      assert.deepEqual(yield* alice.drain, [])
      yield* firedOnce
    }),
  friday,
  dying("right after its row is committed", "Triggered")
)

for (const instant of ["before its row is committed", "right after its row is committed"] as const) {
  story(
    `I32: charges an hour's funding once if the market's owner crashes at the funding event, ${instant}`,
    (venue) =>
      Effect.gen(function* () {
        const [long, short, maker] = [
          yield* venue.trade(yield* venue.user("long"), ["balances"]),
          yield* venue.trade(yield* venue.user("short"), ["balances"]),
          yield* venue.trade(yield* venue.user("maker", 1_000_000), [])
        ]
        yield* short.send(limit("SELL", 50, 200.9))
        yield* venue.settle
        yield* long.send(limit("BUY", 50, 200.9))
        yield* venue.settle
        yield* maker.sendAll([limit("BUY", 100, 200.8), limit("SELL", 100, 200.9)])
        yield* TestClock.adjust("2 minutes")
        yield* later(venue)
        const { claims, events } = yield* log
        const hours = events.filter((event) => event._tag === "Funded")
        assert.deepEqual([claims, hours.length, hours[0]!.skipped], [2, 1, false])
        const apple = initialInstruments.find(({ symbol }) => symbol === aapl)!
        const paid = Funding.payment(apple, 50_000, hours[0]!)
        const received = Funding.payment(apple, -50_000, hours[0]!)
        assert.isBelow(paid, 0)
        for (const [client, expected] of [
          [long, paid],
          [short, received]
        ] as const) {
          const balance = (yield* client.drain).findLast((frame) => frame.balance_response !== undefined)
          assert.strictEqual(Math.round(balance!.balance_response!.net_funding * 1e6), expected)
        }
        const { cash, positions, reserveFund } = yield* (yield* MarketClient).totals(aapl)
        assert.deepEqual([positions, cash, paid + received + reserveFund], [0, 0, 0])
      }),
    friday + 58 * 60_000,
    dying(instant, "Funded")
  )
}
