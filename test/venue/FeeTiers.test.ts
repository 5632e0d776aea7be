/** Fee tiers around midnight. They depend on the volume before midnight and apply to all of a user's accounts. */
import { type TierSet, traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import type { Client } from "@venue/testing/Client"
import type { TestUser } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { limit, story } from "./Story.ts"

/** One hour before Friday's close in New York. The next midnight is in UTC. */
const evening = Date.UTC(2026, 10, 20, 20)
const midnight = Date.UTC(2026, 10, 21)

/** Returns the fees of the received fills, in order. */
const fees = (client: Client) =>
  Effect.map(client.drain, (frames) =>
    frames.flatMap(({ fill_response: fill }) => (fill === undefined ? [] : [fill.fee]))
  )

/** Returns the tier events in the user's journal. */
const tiersSet = Effect.fnUntraced(function* ({ userId }: TestUser) {
  const journal = yield* Journal
  const rows = yield* journal.read(traderStream(userId), 0, 1_000)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .filter((event): event is TierSet => event._tag === "TierSet")
    .map(({ day, effectiveVolume, tier }) => [day * 86_400_000, tier, Number(effectiveVolume) / 1_000_000])
})

/** Claims the stream as another owner would when the desk moves. The current owner's rows are then rejected. */
const takeOver = Effect.fnUntraced(function* (userId: UserId) {
  const journal = yield* Journal
  yield* journal.claim(traderStream(userId), { restore: () => true, replay: () => {} }, Effect.succeed(true))
})

story(
  "rule 11.5: applies tier 2 to all of a user's accounts from the day after a volume of 2,000,000, except to open orders",
  (venue) =>
    Effect.gen(function* () {
      const ann = yield* venue.user("ann", 1_000_000)
      const sub = yield* venue.subaccount(ann, 1_000_000)
      const main = yield* venue.trade(ann)
      const second = yield* venue.trade(ann, ["order_responses", "fills"], { accountId: sub })
      const ben = yield* venue.trade(yield* venue.user("ben", 1_000_000))
      const cidUser = yield* venue.user("cid")
      const cid = yield* venue.trade(cidUser)

      // 2,000 at 200 are worth 400,000 USD in stocks, whose volume counts five times.
      yield* ben.send(limit("SELL", 2_000, 200))
      yield* venue.settle
      yield* main.send(limit("BUY", 1_200, 200))
      yield* second.send(limit("BUY", 800, 200))
      yield* venue.settle
      assert.deepEqual([yield* fees(main), yield* fees(second)], [[240], [160]])

      yield* TestClock.setTime(midnight - 1)
      yield* main.send(limit("SELL", 100, 200))
      yield* venue.settle
      yield* cid.send(limit("BUY", 50, 200))
      yield* venue.settle
      // A maker pays 2 bps in the first tier.
      assert.deepEqual([yield* fees(main), yield* fees(cid)], [[2], [10]])

      yield* TestClock.adjust("1 minute")
      yield* venue.settle
      assert.deepEqual(yield* tiersSet(ann), [[midnight, 2, 2_050_000]])
      assert.deepEqual(yield* tiersSet(cidUser), [[midnight, 1, 50_000]])
      // Ann's resting order keeps the first tier's rates, but her new orders do not.
      yield* cid.send(limit("BUY", 50, 200))
      yield* venue.settle
      assert.deepEqual([yield* fees(main), yield* fees(cid)], [[2], [10]])
      yield* cid.send(limit("BUY", 100, 200))
      yield* venue.settle
      yield* main.send(limit("SELL", 50, 200))
      yield* second.send(limit("SELL", 50, 200))
      yield* venue.settle
      assert.deepEqual([yield* fees(main), yield* fees(second), yield* fees(cid)], [[8], [8], [2, 2]])
      yield* main.send(limit("SELL", 100, 200))
      yield* venue.settle
      yield* cid.send(limit("BUY", 100, 200))
      yield* venue.settle
      assert.deepEqual([yield* fees(main), yield* fees(cid)], [[3], [20]])
    }),
  evening
)

story(
  "sets a trader's fee tier once, even if the trader's owner changes around midnight",
  (venue) =>
    Effect.gen(function* () {
      const ann = yield* venue.user("ann", 1_000_000)
      const client = yield* venue.trade(ann)
      const ben = yield* venue.trade(yield* venue.user("ben", 1_000_000), [])
      yield* ben.send(limit("SELL", 2_000, 200))
      yield* venue.settle
      yield* client.send(limit("BUY", 2_000, 200))
      yield* venue.settle
      yield* client.drain

      yield* TestClock.setTime(midnight + 29_999)
      yield* takeOver(ann.userId)
      // The tier is decided, but the current owner is fenced and cannot record it.
      yield* TestClock.adjust("1 millis")
      yield* venue.settle
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle
      assert.deepEqual(yield* tiersSet(ann), [[midnight, 2, 2_000_000]])
      yield* takeOver(ann.userId)
      yield* TestClock.adjust("1 hour")
      yield* ben.send(limit("BUY", 100, 200))
      yield* venue.settle
      yield* client.send(limit("SELL", 100, 200))
      yield* venue.settle
      assert.deepEqual(yield* fees(client), [16])
      assert.deepEqual(yield* tiersSet(ann), [[midnight, 2, 2_000_000]])
    }),
  evening
)
