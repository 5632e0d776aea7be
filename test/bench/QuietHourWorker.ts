/**
 * One hour of the test clock on a whole venue in memory, with 14 markets, of which three have prices, and two traders
 * with one position each. It runs on any checkout's packages (see `startOurs`), sends a `QuietHourReport` and exits.
 */
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

export interface QuietHourReport {
  /** Real time. */
  readonly seconds: number
}

/** 10:00 in New York on Friday 2026-11-20. */
const startMillis = Date.UTC(2026, 10, 20, 15)
const prices = { "AAPL-USD": 200, "GOLD-USD": 4_000, "EUR-USD": 1.1 }
const order = {
  symbol: "AAPL-USD",
  reduce_only: false,
  quantity: 1,
  price: prices["AAPL-USD"],
  order_type: "LIMIT",
  order_time_in_force: "GTC"
}

const quietHour = Effect.gen(function* () {
  const venue = yield* TestVenue
  for (const [symbol, usd] of Object.entries(prices)) yield* venue.price(symbol, usd)
  for (const [name, side] of [
    ["maker", "SELL"],
    ["taker", "BUY"]
  ] as const) {
    const client = yield* venue.trade(yield* venue.user(name))
    yield* client.send({ type: "add_order", params: { ...order, side, client_order_id: name } })
    const { order_response: answer } = yield* client.take("order_response")
    if (answer.status !== "ACK")
      return yield* Effect.die(new Error(`the ${name}'s order was answered ${answer.status}`))
    // When the taker has received the trade, both traders have a position.
    if (name === "taker") yield* client.take("fill_response")
  }
  yield* venue.settle
  const startedAt = performance.now()
  yield* TestClock.adjust("1 hour")
  return (performance.now() - startedAt) / 1000
}).pipe(Effect.scoped, Effect.provide(layerMemory))

const seconds = await Effect.runPromise(
  Effect.andThen(TestClock.setTime(startMillis), quietHour).pipe(Effect.provide(TestClock.layer()))
)
process.send!({ seconds } satisfies QuietHourReport, () => process.exit(0))
