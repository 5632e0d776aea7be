/** Tests of funding at the end of an hour while markets and desks move between runners. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import * as Funding from "@venue/domain/Funding"
import { initialInstruments } from "@venue/domain/Instrument"
import { marketStream } from "@venue/domain/Market"
import { type Funded } from "@venue/domain/Funding"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, type Redacted, Schedule, Scope } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { settable } from "./SettableClock.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const apple = initialInstruments[0]!
/** A Friday on which the stock exchange is open at the full hour. */
const hourMillis = Date.UTC(2026, 10, 20, 16)

const order = (side: "BUY" | "SELL", quantity: number, price: number) => ({
  type: "add_order",
  params: { symbol: apple.symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity, price }
})

/** Returns the net funding in the next account summary, in 1e-6 USD. */
const told = Effect.fnUntraced(function* (client: Client) {
  yield* client.drain
  const { balance_response: balance } = yield* client.take("balance_response")
  return Math.round(balance.net_funding * 1e6)
})

/** Returns the hours with recorded funding, oldest first. */
const hours = Effect.fnUntraced(function* (journal: Journal["Service"]) {
  const rows = yield* journal.read(marketStream(apple.symbol), 0, 100_000)
  const events = rows.flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
  return events.filter((event): event is Funded => event._tag === "Funded")
})

const begin = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const scope = yield* Scope.make()
  const port = yield* Effect.promise(freePort)
  const { markets } = Context.get(
    yield* Layer.buildWithScope(runner(url, port, { time: Layer.empty }), scope),
    LocalEntities
  )
  return { markets, end: Scope.close(scope, Exit.void) }
})

const patiently = Schedule.spaced("100 millis")

it.live(
  "I32: pays funding exactly once, although one runner joins the cluster and another leaves",
  () =>
    Effect.gen(function* () {
      const { clock, set } = settable(yield* Clock.Clock)
      set(hourMillis - 300_000)
      yield* Effect.provideService(moved(set), Clock.Clock, clock)
    }),
  900_000
)

const moved = Effect.fnUntraced(function* (set: (millis: number) => void) {
  const url = yield* freshDatabase
  const first = yield* begin(url)
  const services = yield* Layer.build(gateway(url, { time: Layer.empty }))
  const venue = Context.get(services, TestVenue)
  const journal = Context.get(services, Journal)
  const markets = Context.get(services, MarketClient)
  yield* Effect.retry(Effect.sandbox(venue.price(apple.symbol, 200)), patiently)
  const long = yield* venue.trade(yield* venue.user("long"), ["order_responses", "balances"])
  const short = yield* venue.trade(yield* venue.user("short"), ["order_responses", "balances"])
  const maker = yield* venue.trade(yield* venue.user("maker", 1_000_000))
  yield* short.send(order("SELL", 50, 200.9))
  yield* short.take("order_response")
  yield* long.send(order("BUY", 50, 200.9))
  yield* long.take("order_response")
  for (const quote of [order("BUY", 100, 200.8), order("SELL", 100, 200.9)]) {
    yield* maker.send(quote)
    yield* maker.take("order_response")
  }

  set(hourMillis - 3_000)
  yield* maker.send(order("BUY", 1, 200.7))
  const second = yield* begin(url)
  yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => second.markets.size > 0 }).pipe(
    Effect.timeout("10 minutes")
  )
  yield* first.end
  const paid = yield* Effect.repeat(hours(journal), { until: (found) => found.length > 0, schedule: patiently })
  const due = (units: number) => paid.reduce((sum, hour) => sum + Funding.payment(apple, units * 1_000, hour), 0)
  assert.isBelow(due(50), 0)
  const bothTold = Effect.all([told(long), told(short)])
  const isExternal = ([paidByLong]: ReadonlyArray<number>) => paidByLong !== 0
  assert.deepEqual(yield* Effect.repeat(bothTold, { until: isExternal }), [due(50), due(-50)])

  const third = yield* begin(url)
  yield* second.end
  assert.deepEqual(yield* bothTold, [due(50), due(-50)])
  assert.lengthOf(yield* hours(journal), 1)
  const { cash, positions, reserveFund } = yield* markets.totals(apple.symbol)
  assert.deepEqual([positions, cash, due(50) + due(-50) + reserveFund], [0, 0, 0])
  yield* third.end
})
