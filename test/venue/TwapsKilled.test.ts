/**
 * TWAPs while a market or a trader moves to another owner. The TWAPs continue, and each slice is placed once (rule
 * 16.3).
 */
import { deskOf } from "@venue/cluster/protocol/Desk"
import { defaults } from "@venue/cluster/VenueSettings"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { childId, TwapId } from "@venue/domain/Twap"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Twaps from "@venue/storage/history/Twaps"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dying } from "./Dying.ts"
import { aapl, friday, limit, say, story } from "./Story.ts"

const twapOf = (params: object = {}) =>
  say("add_twap", {
    symbol: aapl,
    side: "BUY",
    total_quantity: 3,
    num_orders: 3,
    order_interval_secs: 30,
    reduce_only: false,
    ...params
  })

const begin = Effect.fnUntraced(function* (venue: TestVenue["Service"]) {
  const user = yield* venue.user("alice")
  const alice = yield* venue.trade(user)
  const bob = yield* venue.trade(yield* venue.user("bob"), [])
  yield* bob.send(limit("SELL", 50, 200))
  yield* venue.settle
  return { user, alice }
})

/** Advances in steps, so that a short wait for another owner succeeds. */
const pass = Effect.fnUntraced(function* (venue: TestVenue["Service"], seconds: number) {
  for (let second = 0; second < seconds; second++) {
    yield* TestClock.adjust("1 second")
    yield* venue.settle
  }
})

/** Checks the TWAP events in AAPL's log: one opened, each child accepted once, one closed. */
const recorded = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(marketStream(aapl), 0, 100_000)
  const events = rows.flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
  const opened = events.filter((event) => event._tag === "TwapOpened")
  const closed = events.filter((event) => event._tag === "TwapClosed")
  assert.deepEqual([opened.length, closed.length], [1, 1])
  const { twap } = closed[0]!
  const ids = [1, 2, 3].map((slice) => childId(TwapId.make(twap.twapId), slice).text)
  const children = events.flatMap((event) =>
    event._tag === "Accepted" && event.order.origin === "TWAP" ? [event.order.orderId.text] : []
  )
  assert.lengthOf(new Set(children), children.length, "a child comes once")
  assert.includeMembers(ids, children)
  return { twap, ending: closed[0]!.ending, claims: rows.at(-1)!.epoch }
})

for (const instant of ["before its row is committed", "right after its row is committed"] as const) {
  for (const tag of ["TwapOpened", "TwapAdvanced", "TwapClosed"] as const) {
    story(
      `I31: if the market's owner crashes at a ${tag} event, ${instant}, no slice is lost or placed twice`,
      (venue) =>
        Effect.gen(function* () {
          const { alice } = yield* begin(venue)
          yield* alice.send(twapOf())
          yield* pass(venue, 75)
          const { claims, ending, twap } = yield* recorded
          assert.strictEqual(claims, 2)
          assert.deepInclude(twap, { lastSlice: 3, filledLots: 3_000, filledSlices: 3, filledValue: 600_000_000 })
          assert.strictEqual(ending, "COMPLETED")
          const told = (yield* alice.drain).flatMap(({ twap_response: said }) =>
            said === undefined ? [] : [`${said.status} ${said.filled_quantity}`]
          )
          assert.deepEqual(told, ["ACTIVE 0", "ACTIVE 1", "ACTIVE 2", "ACTIVE 3", "COMPLETED 3"])
        }),
      friday,
      dying(instant, tag)
    )
  }
}

story("I31: continues a TWAP although its trader's owner changes between slices", (venue) =>
  Effect.gen(function* () {
    const { alice, user } = yield* begin(venue)
    const journal = yield* Journal
    const take = journal.claim(
      traderStream(user.userId),
      { restore: () => true, replay: () => {} },
      Effect.succeed(true)
    )
    yield* alice.send(twapOf({ client_twap_id: "mine" }))
    yield* pass(venue, 10)
    yield* take
    // The owner is fenced when it writes its next row.
    yield* alice.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
    yield* pass(venue, 75)
    const { ending, twap } = yield* recorded
    assert.deepInclude(twap, { lastSlice: 3, filledLots: 3_000, filledSlices: 3 })
    assert.strictEqual(ending, "COMPLETED")
    assert.deepEqual(
      (yield* journal.wakeUps(deskOf(user.userId, defaults.desks))).filter(({ reason }) => reason === "twap"),
      []
    )
    const { read } = yield* ReadTables
    const rows = yield* read(Twaps.page({ accountId: primaryAccountOf(user.userId), limit: 10, offset: 0 }))
    assert.deepEqual(
      rows.map(({ clientTwapId, filledQuantity, status, symbol }) => [clientTwapId, filledQuantity, status, symbol]),
      [["mine", 3_000, "COMPLETED", MarketSymbol.make(aapl)]]
    )
  })
)
