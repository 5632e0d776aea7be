/** Tests of liquidations on the book, by takeover and by deleveraging while desks and markets move between runners. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, type Redacted, Schedule, Scope } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

/**
 * Marks to which a market falls from 200, each with the lots that an account with 1,100 USD then sells of its 50
 * units.
 */
const falls = [
  { symbol: MarketSymbol.make("AAPL-USD"), mark: 190, soldLots: 16_782 },
  { symbol: MarketSymbol.make("NVDA-USD"), mark: 186, soldLots: 50_000 },
  { symbol: MarketSymbol.make("TSLA-USD"), mark: 170, soldLots: 50_000 }
]

const begin = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const scope = yield* Scope.make()
  const port = yield* Effect.promise(freePort)
  const { desks, markets } = Context.get(yield* Layer.buildWithScope(runner(url, port), scope), LocalEntities)
  return { desks, markets, end: Scope.close(scope, Exit.void) }
})

const order = (symbol: string, side: "BUY" | "SELL", quantity: number, price: number) => ({
  type: "add_order",
  params: { symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity, price }
})

const patiently = Schedule.spaced("100 millis")

/** Creates an account that has bought 50 at 200 from another account, which bids for 50 more at 189. */
const deal = Effect.fnUntraced(function* (venue: TestVenue["Service"], symbol: MarketSymbol) {
  const long = yield* venue.user(`long ${symbol}`, 1_110)
  const buyer = yield* venue.trade(long)
  const seller = yield* venue.trade(yield* venue.user(`short ${symbol}`))
  yield* seller.send(order(symbol, "SELL", 50, 200))
  yield* seller.take("order_response")
  yield* buyer.send(order(symbol, "BUY", 50, 200))
  yield* buyer.take("fill_response")
  yield* seller.send(order(symbol, "BUY", 50, 189))
  yield* seller.take("fill_response")
  return long.userId
})

/** Returns the number of lots that liquidations have sold until now. */
const soldIn = Effect.fnUntraced(function* (journal: Journal["Service"], symbol: MarketSymbol) {
  const rows = yield* journal.read(marketStream(symbol), 0, 100_000)
  const events = rows.flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
  return events.reduce(
    (sum, event) =>
      event._tag === "Traded" && event.taker.order.origin === "LIQUIDATION" ? sum + event.quantityLots : sum,
    0
  )
})

it.live(
  "rule 9, I8: liquidates each account exactly once, although desks and markets move between nodes",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const first = yield* begin(url)
      const services = yield* Layer.build(gateway(url))
      const venue = Context.get(services, TestVenue)
      const markets = Context.get(services, MarketClient)
      const desks = Context.get(services, DeskClient)
      const persistently = <A, E>(effect: Effect.Effect<A, E>) => Effect.retry(Effect.sandbox(effect), patiently)
      for (const { symbol } of falls) yield* persistently(venue.price(symbol, 200))
      const longs = yield* Effect.forEach(falls, ({ symbol }) => deal(venue, symbol))

      const second = yield* begin(url)
      yield* Effect.repeat(Effect.sleep("20 millis"), {
        until: () => second.markets.size > 0 && second.desks.size > 0
      }).pipe(Effect.timeout("10 minutes"))
      yield* Effect.all([first.end, ...falls.map(({ mark, symbol }) => persistently(venue.price(symbol, mark)))], {
        concurrency: "unbounded"
      })

      // The desk loads the traders that have wake-up entries, without any request.
      const isDone = (found: ReadonlyArray<number>) => found.every((lots, index) => lots === falls[index]!.soldLots)
      const sold = Effect.forEach(falls, ({ symbol }) => soldIn(Context.get(services, Journal), symbol))
      yield* Effect.repeat(sold, { until: isDone, schedule: patiently }).pipe(Effect.timeout("10 minutes"))
      yield* Effect.sleep("3 seconds")
      assert.isTrue(isDone(yield* sold))
      for (const [index, { soldLots, symbol }] of falls.entries()) {
        const userId = longs[index]!
        const asked = { userId, accountId: primaryAccountOf(userId), cost: noCost }
        const { holdings } = yield* persistently(desks.summary(asked))
        assert.strictEqual(holdings.find((holding) => holding.symbol === symbol)!.quantityLots, 50_000 - soldLots)
      }
      for (const { symbol } of falls) {
        const { cash, positions, reserveFund } = yield* markets.totals(symbol)
        assert.deepEqual([positions, cash], [0, 0])
        assert.isAtLeast(reserveFund, 0)
      }
      yield* second.end
    }),
  900_000
)
