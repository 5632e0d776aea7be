/** Tests of reads after pushes, with desk, market and gateway on different nodes. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const symbols = ["AAPL-USD", "NVDA-USD", "TSLA-USD", "MSFT-USD"]

const order = (symbol: string, side: "BUY" | "SELL", price: number) => ({
  type: "add_order",
  params: { symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity: 1, price }
})

/** Reads each order, fill and cancel directly after its push. */
const tradeAndRead = Effect.fnUntraced(function* (client: Client, maker: Client, rounds: number) {
  const openIds = Effect.gen(function* () {
    yield* client.send({ type: "get_user_orders", params: {} })
    const { all_orders_response: open } = yield* client.take("all_orders_response")
    return open.orders.map((one: { order_id: string }) => one.order_id) as ReadonlyArray<string>
  })
  for (let n = 0; n < rounds; n++) {
    const symbol = symbols[n % symbols.length]!
    yield* client.send(order(symbol, "BUY", 199))
    const { order_response: placed } = yield* Effect.repeat(client.take("order_response"), {
      until: ({ order_response: { status } }) => status === "ACK"
    })
    assert.include(yield* openIds, placed.order_id, "an order that was told is not read")
    yield* maker.send(order(symbol, "SELL", 199))
    yield* client.take("fill_response")
    assert.notInclude(yield* openIds, placed.order_id, "an order whose fill was told is read as open")
  }
})

it.live(
  "a read right after a pushed fill includes that fill, whichever nodes own the desk and the market",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const start = Effect.gen(function* () {
        const port = yield* Effect.promise(freePort)
        return Context.get(yield* Layer.build(runner(url, port)), LocalEntities)
      })
      const nodes = [yield* start, yield* start]
      const services = yield* Layer.build(gateway(url))
      const venue = Context.get(services, TestVenue)
      yield* Effect.repeat(Effect.sleep("20 millis"), {
        until: () => nodes.every(({ desks, markets }) => desks.size > 0 && markets.size > 0)
      }).pipe(Effect.timeout("10 minutes"))
      for (const symbol of symbols) {
        yield* Effect.retry(Effect.sandbox(venue.price(symbol, 200)), Schedule.spaced("200 millis"))
      }
      const maker = yield* venue.trade(yield* venue.user("maker", 10_000_000))
      // Desks and markets are spread over both nodes.
      for (const name of ["ann", "ben", "cid", "dot"]) {
        const client = yield* venue.trade(yield* venue.user(name))
        yield* tradeAndRead(client, maker, 6)
      }
    }),
  900_000
)
