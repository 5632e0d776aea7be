/** Referral rewards around several midnights, while desks lose their traders. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import type { ReferralsCredited } from "@venue/domain/Referral"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import type { TestUser } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { limit, story } from "./Story.ts"

/** One hour before Friday's close in New York. The next midnight is in UTC. */
const evening = Date.UTC(2026, 10, 20, 20)
const midnight = Date.UTC(2026, 10, 21)
const dayMillis = 86_400_000
const code = "7ZK4M0QX2P"

/** Redeems `host`'s code as `guest`. */
const bring = Effect.fnUntraced(function* (host: TestUser, guest: TestUser) {
  const codes = yield* InvitationCodes
  const desks = yield* DeskClient
  yield* codes.issue(host.userId, [code])
  const referrerId = yield* codes.hold(code, guest.userId)
  yield* desks.ask(guest.userId, (desk) => desk.RedeemCode({ userId: guest.userId, cost: noCost, code, referrerId }))
})

/** Returns the rewards in the user's journal: days since midnight, and amounts in USD. */
const credited = Effect.fnUntraced(function* ({ userId }: TestUser) {
  const journal = yield* Journal
  const rows = yield* journal.read(traderStream(userId), 0, 1_000)
  return rows
    .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
    .filter((event): event is ReferralsCredited => event._tag === "ReferralsCredited")
    .map(({ amount, day }) => [day - midnight / dayMillis, Number(amount) / 1_000_000])
})

/** Claims the stream as another owner would when the desk moves. The current owner's rows are then rejected. */
const takeOver = Effect.fnUntraced(function* (userId: UserId) {
  const journal = yield* Journal
  yield* journal.claim(traderStream(userId), { restore: () => true, replay: () => {} }, Effect.succeed(true))
})

story(
  "rule 13.4: credits each day's reward once, even if the referrer's desk loses the trader while recording the reward",
  (venue) =>
    Effect.gen(function* () {
      const [ann, cid] = [yield* venue.user("ann", 0), yield* venue.user("cid")]
      const seller = yield* venue.trade(yield* venue.user("ben", 1_000_000), [])
      yield* bring(ann, cid)
      const buyer = yield* venue.trade(cid, [])
      const buy = Effect.fnUntraced(function* (quantity: number) {
        yield* seller.send(limit("SELL", quantity, 200))
        yield* venue.settle
        yield* buyer.send(limit("BUY", quantity, 200))
        yield* venue.settle
      })
      // A taker pays a fee of 10 bps, which is 10.00.
      yield* buy(50)
      yield* TestClock.setTime(midnight + 5 * 60_000 - 1)
      yield* venue.settle
      assert.deepEqual(yield* credited(ann), [])
      yield* takeOver(ann.userId)
      // The reward is decided, but the current owner is fenced and cannot record it.
      yield* TestClock.adjust("2 seconds")
      yield* venue.settle
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle
      assert.deepEqual(yield* credited(ann), [[-1, 1]])

      yield* takeOver(ann.userId)
      yield* buy(20)
      yield* TestClock.setTime(midnight + dayMillis + 6 * 60_000)
      yield* venue.settle
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle
      assert.deepEqual(yield* credited(ann), [
        [-1, 1],
        [0, 0.4]
      ])
      // A day without trades leaves no reward.
      yield* TestClock.setTime(midnight + 2 * dayMillis + 6 * 60_000)
      yield* venue.settle
      assert.lengthOf(yield* credited(ann), 2)
    }),
  evening
)

story("rule 13.4: credits a referral reward once even if the request is repeated", (venue) =>
  Effect.gen(function* () {
    const desks = yield* DeskClient
    const { userId } = yield* venue.user("ann", 0)
    const reward = { userId, day: 20_778, amount: 714_000n }
    const credit = desks.ask(userId, (desk) => desk.CreditReferrals(reward))
    yield* Effect.all([credit, credit], { concurrency: "unbounded" })
    yield* takeOver(userId)
    yield* Effect.ignore(credit)
    yield* venue.settle
    yield* Effect.retry(credit, { times: 5 })
    const journal = yield* Journal
    const rows = yield* journal.read(traderStream(userId), 0, 100)
    const events = rows.flatMap((row) => (row.events.length === 0 ? [] : TraderRecord.decode(row.events)))
    assert.deepEqual(
      events.map(({ _tag }) => _tag),
      ["ReferralsCredited"]
    )
  })
)
