/**
 * An account with positions in two markets, one of which might be closed, and positions without a counterparty (rule
 * 9.3, rule 9.6, I28).
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { defaults } from "@venue/cluster/VenueSettings"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { deal, equityOf, fifty, fundOf, heldBy, logOf, type Person, person, topUp } from "./Ruin.ts"
import { aapl, gold, story } from "./Story.ts"

type Venue = TestVenue["Service"]

/** Alice, with 1,300, is long 50 AAPL and short 2 gold. Bob has the opposite positions. */
const two = Effect.fnUntraced(function* (venue: Venue) {
  yield* venue.price(gold, 3_400)
  const everybody = yield* fifty(venue, 100_000, 1_310)
  yield* deal(venue, everybody.bob, everybody.alice, 2, 3_400, gold)
  return everybody
})

const sharesOf = Effect.fnUntraced(function* () {
  const both = [...(yield* logOf(aapl)), ...(yield* logOf(gold))]
  return both.flatMap((event) => (event._tag === "TakeoverOpened" ? [event.share] : []))
})

story(
  "rule 9.6: liquidates the larger of two markets first, each with its share of the equity, until no position is left",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* two(venue)
      const equity = (yield* equityOf(alice)) - 900
      yield* venue.price(aapl, 182)
      yield* TestClock.adjust("5 seconds")
      yield* venue.settle
      assert.deepEqual([yield* heldBy(alice), yield* heldBy(alice, gold), yield* equityOf(alice)], [0, 0, 0])
      assert.deepEqual([yield* heldBy(bob), yield* heldBy(bob, gold)], [0, 0])
      const shares = yield* sharesOf()
      assert.closeTo(shares[0]! / 1e6, (equity * 606.666667) / (606.666667 + 151.111112), 0.001)
      assert.closeTo((shares[0]! + shares[1]!) / 1e6, equity, 1e-6)
      assert.closeTo((yield* fundOf()) + (yield* fundOf(gold)), equity, 1e-6)
    })
)

for (const state of ["HALTED", "CANCEL_ONLY"] as const) {
  story(
    `rule 9.3: liquidates in one market while a second market is ${state}, and in the second when its trading resumes`,
    (venue) =>
      Effect.gen(function* () {
        const markets = yield* MarketClient
        const { alice } = yield* two(venue)
        yield* markets.setTradingState(gold, state)
        yield* venue.price(aapl, 182)
        yield* TestClock.adjust("5 seconds")
        yield* venue.settle
        assert.deepEqual([yield* heldBy(alice), yield* heldBy(alice, gold)], [0, -2])
        yield* markets.setTradingState(gold, "TRADING")
        yield* TestClock.adjust("5 seconds")
        yield* venue.settle
        assert.deepEqual([yield* heldBy(alice, gold), yield* equityOf(alice)], [0, 0])
        yield* fundOf()
        yield* fundOf(gold)
      })
  )
}

story("I29, rule 9.3: keeps the position in a stale market while liquidating in a market with a fresh price", (venue) =>
  Effect.gen(function* () {
    const markets = yield* MarketClient
    const { alice } = yield* two(venue)
    const observe = (usd: number) => markets.observe(gold, usd * 1e8, "external")
    yield* observe(3_400)
    yield* TestClock.adjust("90 seconds")
    yield* venue.price(aapl, 182)
    yield* TestClock.adjust("5 seconds")
    yield* venue.settle
    assert.deepEqual([yield* heldBy(alice), yield* heldBy(alice, gold)], [0, -2])
    yield* observe(3_400)
    yield* TestClock.adjust("5 seconds")
    yield* venue.settle
    assert.deepEqual([yield* heldBy(alice, gold), yield* equityOf(alice)], [0, 0])
  })
)

const leftOf = Effect.fnUntraced(function* ({ user: { userId } }: Person) {
  const found = yield* (yield* DeskClient).askDesk(deskOf(userId, defaults.desks), (desk) => desk.LeftPositions())
  return found.map(({ accountId, quantityLots, symbol }) => {
    assert.strictEqual(accountId, primaryAccountOf(userId))
    return `${symbol} ${quantityLots}`
  })
})

story("I28: keeps and reports a position that no account can take over until the fund can cover it", (venue) =>
  Effect.gen(function* () {
    const { alice, bob } = yield* fifty(venue, 7_110)
    const dan = yield* person(venue, "dan", 1_000_000)
    yield* venue.price(gold, 3_400)
    yield* deal(venue, bob, dan, 40, 3_400, gold)
    // Bob loses more in gold than he has, so no account on the opposite side of Alice can bear a loss.
    yield* Effect.all([venue.price(gold, 3_150), venue.price(aapl, 170)], { concurrency: "unbounded" })
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    assert.strictEqual(yield* heldBy(alice), 50)
    assert.deepEqual(yield* leftOf(alice), ["AAPL-USD 50000"])
    yield* fundOf()
    yield* topUp(10_000)
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    assert.deepEqual([yield* heldBy(alice), yield* equityOf(alice)], [0, 0])
    assert.deepEqual(yield* leftOf(alice), [])
    yield* fundOf()
  })
)
