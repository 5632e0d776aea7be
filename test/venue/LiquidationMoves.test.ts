/** Owners that reload during a liquidation. The liquidation continues, and no step is repeated (rule 9, I8). */
import type { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { equityOf, fifty, fundOf, heldBy, logOf, person, provide, take, takeTrader } from "./Ruin.ts"
import { dying } from "./Dying.ts"
import { aapl, friday, limit, story } from "./Story.ts"

type Venue = TestVenue["Service"]

/** Alice is long 50, Bob is short, and Cid is able to take over part of Alice's position. */
const scene = Effect.fnUntraced(function* (venue: Venue) {
  const { alice, bob } = yield* fifty(venue)
  return { alice, bob, cid: yield* person(venue, "cid", 100_000) }
})
type Scene = Effect.Success<ReturnType<typeof scene>>

/** Checks that every takeover was closed, and that the off-book trades sum to Alice's position. */
const takenOnce = Effect.fnUntraced(function* () {
  const log = yield* logOf()
  const opened = log.flatMap((event) => (event._tag === "TakeoverOpened" ? [event.takeoverId.text] : []))
  const closed = log.flatMap((event) => (event._tag === "TakeoverClosed" ? [event.takeoverId.text] : []))
  assert.deepEqual(closed, opened)
  const lots = log.reduce(
    (sum, event) => (event._tag === "Traded" && event.offBook !== undefined ? sum + event.quantityLots : sum),
    0
  )
  assert.strictEqual(lots, 50_000)
})

type Step = (scene: Scene) => Effect.Effect<void, unknown, DeskClient | MarketClient | Journal>

/** For each stage of a liquidation: the mark that starts it, its preparation, and the checks at its end. */
const stages: Record<string, { readonly mark: number; readonly ready: Step; readonly done: Step }> = {
  "on the book": {
    mark: 190,
    ready: ({ cid }) => cid.client.send(limit("BUY", 50, 189)),
    done: Effect.fnUntraced(function* ({ alice, cid }: Scene) {
      assert.strictEqual(yield* heldBy(alice), 33.218)
      assert.strictEqual(yield* heldBy(cid), 16.782)
      yield* fundOf()
    })
  },
  "off the book": {
    mark: 186,
    ready: ({ cid }) => provide(cid),
    done: Effect.fnUntraced(function* ({ alice, bob, cid }: Scene) {
      yield* takenOnce()
      assert.strictEqual(yield* equityOf(alice), 0)
      // If Cid responds late, the accounts on the opposite side come before him.
      assert.deepEqual([yield* heldBy(alice), (yield* heldBy(bob)) + (yield* heldBy(cid))], [0, 0])
      assert.include([376.75, 400], yield* fundOf())
    })
  },
  "by deleveraging": {
    mark: 170,
    ready: () => Effect.void,
    done: Effect.fnUntraced(function* ({ alice, bob }: Scene) {
      yield* takenOnce()
      assert.deepEqual([yield* heldBy(alice), yield* equityOf(alice)], [0, 0])
      assert.strictEqual(yield* heldBy(bob), 0)
      assert.strictEqual(yield* fundOf(), 0)
    })
  }
}

const losses: Record<string, Step> = {
  "the liquidated trader": ({ alice }) => takeTrader(alice),
  "the opposite trader": ({ bob }) => takeTrader(bob),
  "the buying trader": ({ cid }) => takeTrader(cid),
  "the market": () => take(marketStream(aapl))
}

for (const [stage, { done, mark, ready }] of Object.entries(stages)) {
  for (const [who, lose] of Object.entries(losses)) {
    for (const millis of [0, 250]) {
      story(`completes a liquidation ${stage} if ${who} is reloaded ${millis} ms after the mark changes`, (venue) =>
        Effect.gen(function* () {
          const everybody = yield* scene(venue)
          yield* ready(everybody)
          yield* venue.settle
          yield* Effect.ignore(Effect.sandbox(venue.price(aapl, mark)))
          yield* TestClock.adjust(millis)
          yield* lose(everybody)
          yield* TestClock.adjust("3 seconds")
          // A market that lost its log detects the loss at its next message.
          yield* Effect.ignore(Effect.sandbox(venue.price(aapl, mark)))
          yield* TestClock.adjust("3 seconds")
          yield* venue.price(aapl, mark)
          yield* TestClock.adjust("5 seconds")
          yield* venue.settle
          yield* done(everybody)
        })
      )
    }
  }
}

for (const tag of ["TakeoverOpened", "TakeoverClosed"] as const) {
  for (const instant of ["before its row is committed", "right after its row is committed"] as const) {
    story(
      `closes a takeover once if the market's owner crashes at a ${tag} event, ${instant}`,
      (venue) =>
        Effect.gen(function* () {
          const everybody = yield* scene(venue)
          yield* provide(everybody.cid)
          yield* venue.price(aapl, 186)
          yield* TestClock.adjust("10 seconds")
          yield* venue.settle
          yield* stages["off the book"]!.done(everybody)
          const rows = yield* (yield* Journal).read(marketStream(aapl), 0, 100_000)
          assert.strictEqual(rows.at(-1)!.epoch, 2)
        }),
      friday,
      dying(instant, tag)
    )
  }
}
