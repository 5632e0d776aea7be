/** Tests of a stale price while the market and the desks are on different nodes. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { initialInstruments } from "@venue/domain/Instrument"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { settable } from "./SettableClock.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const { symbol } = initialInstruments[0]!
/** A Friday on which the stock exchange is open. */
const openMillis = Date.UTC(2026, 10, 20, 15, 30)
const staleAfterMillis = 60_000

const begin = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const port = yield* Effect.promise(freePort)
  return Context.get(yield* Layer.build(runner(url, port, { time: Layer.empty })), LocalEntities)
})

const answer = Effect.fnUntraced(function* (client: Client, side: "BUY" | "SELL", price: number, reduce_only = false) {
  const terms = { symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity: 1, price, reduce_only }
  yield* client.send({ type: "add_order", params: terms })
  const frame = yield* Effect.raceFirst(client.take("order_response"), client.take("err"))
  return "err" in frame ? frame["err"].error_code : frame["order_response"].status
})

it.live(
  "rule 3.5: accepts only orders that reduce while the price is stale, whichever nodes own the market and the desks",
  () =>
    Effect.gen(function* () {
      const { clock, set } = settable(yield* Clock.Clock)
      set(openMillis)
      yield* Effect.provideService(told(set), Clock.Clock, clock)
    }),
  900_000
)

const told = Effect.fnUntraced(function* (set: (millis: number) => void) {
  const url = yield* freshDatabase
  const [one, two] = [yield* begin(url), yield* begin(url)]
  const services = yield* Layer.build(gateway(url, { time: Layer.empty }))
  const venue = Context.get(services, TestVenue)
  const markets = Context.get(services, MarketClient)
  const tell = Effect.retry(Effect.sandbox(markets.observe(symbol, 200e8, "external")), Schedule.spaced("100 millis"))
  yield* tell
  yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => one.desks.size > 0 && two.desks.size > 0 })
  const [buyer, seller] = yield* Effect.forEach(["buyer", "seller"], (name) =>
    Effect.flatMap(venue.user(name), (user) => venue.trade(user, ["order_responses"]))
  )
  assert.strictEqual(yield* answer(seller!, "SELL", 200), "ACK")
  assert.strictEqual(yield* answer(buyer!, "BUY", 200), "ACK")
  assert.strictEqual((yield* buyer!.take("order_response")).order_response.status, "FILLED")

  set(openMillis + staleAfterMillis + 5_000)
  // At first the gateway can also refuse because its revocations are out of date.
  const isStale = Effect.map(answer(buyer!, "BUY", 190), (status) => status === "REJECTED_MARKET_CLOSED")
  yield* Effect.repeat(isStale, { until: (stale) => stale, schedule: Schedule.spaced("100 millis") })
  assert.strictEqual(yield* answer(buyer!, "SELL", 210, true), "ACK")

  yield* tell
  assert.strictEqual(yield* answer(buyer!, "BUY", 190), "ACK")
})
