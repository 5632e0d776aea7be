/** Takeovers while the mark moves (rule 9.9): the desk and its market proceed together. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { equityOf, fifty, fillsOf, fundOf, heldBy, logOf, person, provide, takeTrader } from "./Ruin.ts"
import { aapl, limit, story, told } from "./Story.ts"

const takeovers = Effect.fnUntraced(function* () {
  return (yield* logOf()).map(({ _tag }) => _tag).filter((tag) => tag.startsWith("Takeover"))
})

for (const isTaken of [false, true]) {
  story(
    `rule 9.9: if the mark recovers before a takeover closes, the position stays with its owner${isTaken ? ", even if the trader is reloaded" : ""}`,
    (venue) =>
      Effect.gen(function* () {
        const { alice } = yield* fifty(venue)
        const cid = yield* person(venue, "cid", 100_000)
        yield* provide(cid)
        yield* venue.price(aapl, 186)
        yield* TestClock.adjust(250)
        if (isTaken) yield* takeTrader(alice)
        yield* venue.price(aapl, 200)
        yield* TestClock.adjust("5 seconds")
        yield* venue.settle
        assert.deepEqual(yield* takeovers(), ["TakeoverOpened", "TakeoverClosed"])
        assert.deepEqual([yield* heldBy(alice), yield* heldBy(cid), yield* equityOf(cid)], [50, 0, 100_000])
        assert.strictEqual(yield* fundOf(), 0)
        yield* alice.client.drain
        yield* alice.client.send(limit("SELL", 1, 201, { reduce_only: true }))
        yield* venue.settle
        assert.deepEqual(told(yield* alice.client.drain), ["ACK"])
      })
  )
}

story(
  "rule 9.3: re-evaluates a takeover within a second if the mark recovers to 190, and sells on the book instead",
  (venue) =>
    Effect.gen(function* () {
      const { alice } = yield* fifty(venue)
      const cid = yield* person(venue, "cid", 100_000)
      yield* provide(cid)
      yield* cid.client.send(limit("BUY", 50, 189))
      yield* venue.settle
      yield* venue.price(aapl, 186)
      yield* TestClock.adjust(250)
      yield* venue.price(aapl, 190)
      yield* TestClock.adjust(1_250)
      yield* venue.settle
      assert.deepEqual(yield* takeovers(), ["TakeoverOpened", "TakeoverClosed"])
      assert.deepEqual([yield* heldBy(alice), yield* heldBy(cid)], [33.218, 16.782])
    })
)

story(
  "I28, rule 9.13: closes the position by auto-deleveraging at 186 if the mark falls to 170 before a provider takes it over",
  (venue) =>
    Effect.gen(function* () {
      const { alice, bob } = yield* fifty(venue)
      const cid = yield* person(venue, "cid", 1_500)
      yield* provide(cid)
      yield* venue.price(aapl, 186)
      yield* TestClock.adjust(250)
      yield* venue.price(aapl, 170)
      yield* TestClock.adjust("3 seconds")
      yield* venue.settle
      assert.deepEqual(yield* fillsOf(bob), ["ADL BUY 50 at 186"])
      assert.deepEqual([yield* heldBy(alice), yield* heldBy(cid), yield* equityOf(cid)], [0, 0, 1_500])
      assert.strictEqual(yield* equityOf(alice), 0)
    })
)

story("rule 9.9: opens at most one takeover a second while the mark oscillates, and closes every takeover", (venue) =>
  Effect.gen(function* () {
    const { alice } = yield* fifty(venue)
    const cid = yield* person(venue, "cid", 100_000)
    yield* provide(cid)
    for (let second = 0; second < 5; second++) {
      yield* venue.price(aapl, 186)
      yield* TestClock.adjust(300)
      yield* venue.price(aapl, 188)
      yield* TestClock.adjust(700)
    }
    yield* venue.settle
    const opened = (yield* takeovers()).filter((tag) => tag === "TakeoverOpened").length
    assert.isTrue(opened >= 1 && opened <= 6, `${opened} takeovers`)
    yield* venue.price(aapl, 186)
    yield* TestClock.adjust("3 seconds")
    yield* venue.settle
    assert.strictEqual(yield* heldBy(alice), 0)
    const all = yield* takeovers()
    assert.strictEqual(all.filter((tag) => tag === "TakeoverClosed").length, all.length / 2)
  })
)
