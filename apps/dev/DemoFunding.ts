/**
 * Demonstrates an hour of funding on a second venue, in this process and in memory. The demo controls that venue's
 * clock, so the hour takes a second.
 */
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { marketStream } from "@venue/domain/Market"
import { type Funded } from "@venue/domain/Funding"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { Console, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { sum, text } from "./DemoText.ts"

const symbol = MarketSymbol.make("AAPL-USD")
/** 10:00 in New York on a Friday: the stock market is open, so funding is paid. */
const tenMillis = Date.UTC(2026, 10, 20, 15)

const hour = Effect.gen(function* () {
  const venue = yield* TestVenue
  const [ann, ben, cid] = [yield* venue.user("ann"), yield* venue.user("ben"), yield* venue.user("cid")]
  yield* venue.price(symbol, 204)
  yield* place(ben, "SELL", 50, 204)
  yield* place(ann, "BUY", 50, 204)
  yield* place(cid, "BUY", 100, 204.51)
  yield* Console.log("\nOne hour of funding, on a second venue in this process with a simulated clock")
  yield* Console.log("  ann is long 50.00, and ben is short 50.00; cid bids 204.51, and the external price is 204.00")
  yield* TestClock.adjust("1 hour")
  const { markE8, rateE12, remainder } = yield* Effect.repeat(paidHour, { until: (funded) => funded !== undefined })
  const [paid, received, left] = [yield* netFunding(ann), yield* netFunding(ben), remainder / 1e6]
  const rate = `${text(rateE12 / 1e8)} bps`
  yield* Console.log(
    [
      `  at 11:00, longs pay shorts ${rate}: the premium is 25 bps, and (25 bps - 5 bps) / 100 = 0.2 bps`,
      `  ann    funding ${text(paid)}, for 50.00 x ${text(markE8 / 1e8)} x ${rate}`,
      `  ben    funding ${text(received)}; rounding leaves ${text(left)}; the sum is ${text(sum(paid, received, left))}`
    ].join("\n")
  )
})

export const run = Effect.andThen(TestClock.setTime(tenMillis), Effect.provide(Effect.scoped(hour), layerMemory)).pipe(
  Effect.provideService(VenueSettings, {
    ...defaults,
    instruments: new Map([[symbol, defaults.instruments.get(symbol)!]])
  }),
  Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([]))),
  Effect.orDie
)

const place = Effect.fnUntraced(function* (user: TestUser, side: "BUY" | "SELL", quantity: number, price: number) {
  const venue = yield* TestVenue
  const client = yield* venue.trade(user, ["order_responses"])
  const terms = { symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity, price }
  yield* client.send({ type: "add_order", params: terms })
  yield* client.take("order_response")
})

/**
 * Waits for a once-a-second balance update that contains funding. The first update might be from before the payment.
 */
const netFunding = Effect.fnUntraced(function* (user: TestUser) {
  const venue = yield* TestVenue
  const client = yield* venue.trade(user, ["balances"])
  const pulse = Effect.andThen(TestClock.adjust("1 second"), client.take("balance_response"))
  const funding = Effect.map(pulse, ({ balance_response: balance }) => balance.net_funding)
  return yield* Effect.repeat(funding, { until: (amount) => amount !== 0 })
})

/** Returns the hour's funding event from the market's log, or undefined until it is committed. */
const paidHour = Effect.gen(function* () {
  const rows = yield* (yield* Journal).read(marketStream(symbol), 0, 100_000)
  const events = rows.flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
  return events.find((event): event is Funded => event._tag === "Funded")
})
