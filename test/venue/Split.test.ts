/** A split on the whole venue, even after market and trader owners reload (rule 19.2). */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { traderStream } from "@venue/domain/Trader"
import { Journal } from "@venue/journal/Journal"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aapl, limit, say, story, told } from "./Story.ts"

const nothing = { restore: () => true, replay: () => {} }

/** Claims the stream as another owner would. The current owner is fenced at its next row and reloads. */
const take = Effect.fnUntraced(function* (stream: string) {
  yield* (yield* Journal).claim(stream, nothing, Effect.succeed(true))
})

for (const lost of ["the market", "a trader", "no component"] as const) {
  story(`rule 19.2: converts a position to new units once, after a reload of ${lost}`, (venue) =>
    Effect.gen(function* () {
      const markets = yield* MarketClient
      const [ann, ben] = [yield* venue.user("ann", 5_000), yield* venue.user("ben", 5_000)]
      const long = yield* venue.trade(ann)
      const short = yield* venue.trade(ben, [])
      yield* short.send(limit("SELL", 50, 200))
      yield* venue.settle
      yield* long.sendAll([limit("BUY", 50, 200), limit("BUY", 1, 198)])
      yield* venue.settle
      const accountId = primaryAccountOf(ann.userId)
      const asked = { userId: ann.userId, accountId, cost: noCost }
      const held = Effect.flatMap(DeskClient, (desks) => desks.summary(asked))
      const before = yield* held
      yield* markets.setTradingState(aapl, "HALTED")
      yield* venue.settle
      if (lost === "the market") yield* take(marketStream(aapl))
      if (lost === "a trader") yield* take(traderStream(ann.userId))
      yield* long.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
      // The request fails because the market lost its log, so the operator sends it again.
      const split = markets.splitContract(aapl, { exDay: 20_000, numerator: 4, denominator: 1 })
      yield* Effect.ignore(split)
      yield* TestClock.adjust("3 seconds")
      assert.isTrue((yield* split).isDone)
      yield* TestClock.adjust("10 seconds")
      yield* venue.settle

      assert.includeMembers([...told(yield* long.drain)], ["CANCELLED"])
      const { balance, holdings } = yield* held
      assert.deepInclude(holdings[0], { quantityLots: 200_000, basis: 10_000_000_000, openOrders: 0 })
      assert.strictEqual(balance.equity, before.balance.equity)
      yield* markets.setTradingState(aapl, "TRADING")
      yield* long.send(limit("SELL", 200, 50, { reduce_only: true }))
      yield* venue.settle
      yield* short.send(limit("BUY", 200, 50, { reduce_only: true }))
      yield* venue.settle
      const { cash, positions } = yield* markets.totals(aapl)
      assert.deepStrictEqual([cash, positions], [0, 0])
      assert.deepInclude((yield* held).holdings[0], { quantityLots: 0, realised: 0 })
    })
  )
}
