/**
 * Builder rewards on the whole venue: recipients, notifications and sums, even after market and trader owners reload
 * (rule 12).
 */
import { balancePublic } from "@venue/api/rest/Positions"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { Client } from "@venue/testing/Client"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, limit, say, story } from "./Story.ts"

const builderCode = "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21"

/** Bea owns an active code with 6,000 and 3,000 bps. Ann and Ben sign in with it, but Cid does not. AAPL is at 204. */
const trading = Effect.fnUntraced(function* (venue: TestVenue["Service"], isActive = true) {
  yield* venue.price(aapl, 204)
  const bea = yield* venue.user("bea", 1_000)
  const codes = yield* BuilderCodes
  yield* codes.create({ builderCode, userId: bea.userId, venueBps: 6_000, builderBps: 3_000, active: false })
  if (isActive) yield* codes.setActive(builderCode, true)
  const owner = yield* venue.trade(bea, ["balances", "fills", "order_responses"])
  const ann = yield* venue.trade(yield* venue.user("ann"), ["balances"], { builderCode })
  const ben = yield* venue.trade(yield* venue.user("ben"), ["balances"], { builderCode })
  const cid = yield* venue.trade(yield* venue.user("cid"), ["balances"])
  return { bea, owner, ann, ben, cid }
})

/** Trades 50 at 204. The maker's fee is 2.04, the taker's 10.20. */
const trade = Effect.fnUntraced(function* (venue: TestVenue["Service"], maker: Client, taker: Client) {
  yield* maker.send(limit("SELL", 50, 204))
  yield* venue.settle
  yield* taker.send(limit("BUY", 50, 204))
  yield* venue.settle
})

/** Returns the balance in the last periodic update. */
const balanceOf = Effect.fnUntraced(function* (venue: TestVenue["Service"], client: Client) {
  yield* client.drain
  yield* TestClock.adjust("1 second")
  yield* venue.settle
  return (yield* client.drain).findLast((frame) => frame.balance_response !== undefined)!.balance_response!
})

/** Returns Bea's rewards and available balance, as the trade socket and REST report them. */
const told = Effect.fnUntraced(function* (venue: TestVenue["Service"], { bea, owner }: Traders) {
  const { available_balance, builder_rewards } = yield* balanceOf(venue, owner)
  const asked = { userId: bea.userId, accountId: primaryAccountOf(bea.userId), cost: noCost }
  const { balance } = yield* (yield* DeskClient).summary(asked)
  assert.deepInclude(balancePublic(balance), { available_balance, builder_rewards: builder_rewards! })
  return [builder_rewards, available_balance]
})
type Traders = { readonly bea: TestUser; readonly owner: Client }

/** Returns the market's cash and its reserve fund, in 1e-6 USD. */
const books = Effect.gen(function* () {
  const { cash, reserveFund } = yield* (yield* MarketClient).totals(aapl)
  return { cash, reserveFund }
})

story(
  "I18 I19, rule 12.3: credits a builder for makers and takers who use the builder's code, and notifies only that builder",
  (venue) =>
    Effect.gen(function* () {
      const traders = yield* trading(venue)
      const { ann, ben, cid, owner } = traders
      assert.deepEqual(yield* told(venue, traders), [0, 1_000])
      yield* trade(venue, cid, ann)
      assert.deepEqual(yield* told(venue, traders), [3.06, 1_003.06])
      assert.deepEqual(yield* books, { cash: 0, reserveFund: 1_020_000 })
      yield* trade(venue, ben, cid)
      assert.deepEqual(yield* told(venue, traders), [3.672, 1_003.672])
      yield* trade(venue, ben, ann)
      assert.deepEqual(yield* told(venue, traders), [7.344, 1_007.344])
      assert.deepEqual(yield* books, { cash: 0, reserveFund: 2 * (1_020_000 + 204_000) })
      for (const [client, fees] of [
        [ann, 20.4],
        [ben, 4.08]
      ] as const) {
        const balance = yield* balanceOf(venue, client)
        assert.strictEqual(balance.fees, fees)
        assert.notProperty(balance, "builder_rewards")
      }
      // The owner receives no frame about the trades themselves.
      const frames = yield* owner.drain
      assert.isEmpty(frames.filter((frame) => frame.fill_response !== undefined || frame.order_response !== undefined))
    })
)

story("rule 12.4: credits no builder if the code is absent, unknown or inactive", (venue) =>
  Effect.gen(function* () {
    const { ann, bea, ben, cid, owner } = yield* trading(venue, false)
    yield* trade(venue, ben, ann)
    yield* trade(venue, cid, ann)
    const dan = yield* venue.trade(yield* venue.user("dan"), [], { builderCode: bea.userId })
    yield* trade(venue, dan, cid)
    const balance = yield* balanceOf(venue, owner)
    assert.notProperty(balance, "builder_rewards")
    assert.strictEqual(balance.available_balance, 1_000)
    assert.deepEqual(yield* books, { cash: 0, reserveFund: 0 })
  })
)

story("rule 12.4: credits a builder once for a trade under the builder's own code, even from a subaccount", (venue) =>
  Effect.gen(function* () {
    const traders = yield* trading(venue)
    const accountId = yield* venue.subaccount(traders.bea, 10_000)
    const sub = yield* venue.trade(traders.bea, ["balances"], { accountId, builderCode })
    yield* trade(venue, traders.cid, sub)
    assert.deepEqual(yield* told(venue, traders), [3.06, 1_003.06])
    assert.notProperty(yield* balanceOf(venue, sub), "builder_rewards")
  })
)

const nothing = { restore: () => true, replay: () => {} }

/** Claims the stream as another owner would. The current owner is fenced at its next row and reloads. */
const take = Effect.fnUntraced(function* (stream: string) {
  yield* (yield* Journal).claim(stream, nothing, Effect.succeed(true))
})

story("I18: credits a builder code's owner once per trade, even if the trader or the market is reloaded", (venue) =>
  Effect.gen(function* () {
    const traders = yield* trading(venue)
    const { ann, bea, ben, cid, owner } = traders
    yield* trade(venue, cid, ann)
    yield* take(traderStream(bea.userId))
    yield* owner.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
    yield* trade(venue, ben, ann)
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    assert.deepEqual(yield* told(venue, traders), [6.732, 1_006.732])
    yield* take(marketStream(aapl))
    yield* ben.send(limit("SELL", 50, 204))
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    yield* trade(venue, cid, ann)
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    const { cash, reserveFund } = yield* books
    assert.strictEqual(cash, 0)
    const [rewards] = yield* told(venue, traders)
    // The fund gets a third of what the code's owner gets from each fee.
    assert.closeTo(rewards!, (reserveFund * 3) / 1e6, 1e-9)
    assert.isAbove(rewards!, 9)
  })
)
