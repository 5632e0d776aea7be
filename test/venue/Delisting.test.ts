/** Delisting of a contract on the whole venue, even after market and trader owners reload (rule 19.3). */
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
import { aapl, gold, limit, market, say, story, told } from "./Story.ts"

const nothing = { restore: () => true, replay: () => {} }

/** Claims the stream as another owner would. The current owner is fenced at its next row and reloads. */
const take = Effect.fnUntraced(function* (stream: string) {
  yield* (yield* Journal).claim(stream, nothing, Effect.succeed(true))
})

for (const lost of ["the market", "a trader", "no component"] as const) {
  story(
    `rule 19.3: closes positions at the average price of the last half hour of trading, after a reload of ${lost}`,
    (venue) =>
      Effect.gen(function* () {
        const markets = yield* MarketClient
        const [ann, ben] = [yield* venue.user("ann", 5_000), yield* venue.user("ben", 5_000)]
        const long = yield* venue.trade(ann, ["order_responses", "fills"])
        const short = yield* venue.trade(ben, [])
        yield* short.send(limit("SELL", 50, 200))
        yield* venue.settle
        yield* long.sendAll([limit("BUY", 50, 200), limit("BUY", 1, 198)])
        yield* TestClock.adjust("20 minutes")
        yield* venue.price(aapl, 206)
        yield* TestClock.adjust("10 minutes")
        yield* markets.setTradingState(aapl, "HALTED")
        yield* TestClock.adjust("10 minutes")
        if (lost === "the market") yield* take(marketStream(aapl))
        if (lost === "a trader") yield* take(traderStream(ann.userId))
        yield* long.drain
        yield* long.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
        // The request fails because the market lost its log, so the operator sends it again.
        yield* Effect.ignore(markets.delist(aapl))
        yield* TestClock.adjust("3 seconds")
        yield* markets.delist(aapl)
        yield* TestClock.adjust("10 seconds")
        yield* venue.settle

        const frames = yield* long.drain
        const fill = frames.find((frame) => frame.fill_response !== undefined)!.fill_response!
        assert.deepInclude(fill, { price: 202, quantity: 50, fee: 0, execution_type: "SETTLEMENT" })
        assert.includeMembers([...told(frames)], ["CANCELLED", "FILLED"])
        const accountId = primaryAccountOf(ann.userId)
        const { balance } = yield* (yield* DeskClient).summary({ userId: ann.userId, accountId, cost: noCost })
        const flat = { realised: 100_000_000n, unrealised: 0n, positionMargin: 0n, orderMargin: 0n }
        assert.deepInclude(balance, flat)
        const { cash, positions } = yield* markets.totals(aapl)
        assert.deepStrictEqual([cash, positions], [0, 0])

        // Other markets continue: another symbol trades and pays an hour's funding.
        yield* venue.price(gold, 3_400)
        yield* TestClock.adjust("1 hour")
        yield* venue.price(gold, 3_400)
        yield* long.send(limit("BUY", 1, 3_390, { symbol: gold }))
        yield* long.send(market("BUY", 1))
        yield* venue.settle
        assert.includeMembers([...told(yield* long.drain)], ["ACK", "BAD_SYMBOL"])
      })
  )
}
