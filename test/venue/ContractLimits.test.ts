/** Changes to contract limits on the whole venue, even after market and trader owners reload (rule 1.9). */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { limitsOf } from "@venue/domain/Limits"
import { marketStream } from "@venue/domain/Market"
import { initialInstruments } from "@venue/domain/Instrument"
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
  story(
    `rule 1.9: applies changed limits to traders who traded before the change, after a reload of ${lost}`,
    (venue) =>
      Effect.gen(function* () {
        const markets = yield* MarketClient
        const ann = yield* venue.user("ann")
        const client = yield* venue.trade(ann)
        yield* client.send(limit("BUY", 1, 199))
        yield* venue.settle
        const limits = { ...limitsOf(initialInstruments[0]!), maxQuantityLots: 20_000, positionUsd: 3_000 }
        yield* markets.setLimits(aapl, limits)
        yield* venue.settle
        if (lost === "the market") yield* take(marketStream(aapl))
        if (lost === "a trader") yield* take(traderStream(ann.userId))
        yield* client.send(say("cancel_on_disconnect", { cancel_on_disconnect: true }))
        yield* client.send(limit("BUY", 1, 198))
        yield* TestClock.adjust("10 seconds")
        yield* venue.settle
        yield* client.drain
        yield* client.send(limit("BUY", 21, 199))
        yield* client.send(limit("BUY", 15, 199))
        yield* venue.settle
        assert.deepEqual(told(yield* client.drain), [
          "QUANTITY_GREATER_THAN_MAX_QUANTITY",
          "REJECTED_WOULD_BREACH_MAX_NOTIONAL"
        ])
        assert.deepStrictEqual((yield* markets.depth(aapl)).limits, limits)
      })
  )
}
