/** Tests of markets and desks that move between runners under a steady flow of orders. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { assert, it } from "@effect/vitest"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { Context, Effect, Exit, Fiber, Layer, Schedule, Scope } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const symbols = ["AAPL-USD", "NVDA-USD", "TSLA-USD", "MSFT-USD"]

interface Placed {
  readonly acked: Set<string>
  readonly unknown: Set<string>
  sent: number
}

/** Places resting orders until it is stopped. Each reply must be an ACK or report an unknown outcome. */
const keepPlacing = Effect.fnUntraced(function* (client: Client, name: string, placed: Placed, stop: () => boolean) {
  while (!stop()) {
    const id = `${name}-${placed.sent++}`
    yield* client.send({
      type: "add_order",
      params: {
        symbol: symbols[placed.sent % symbols.length],
        side: "BUY",
        order_type: "LIMIT",
        order_time_in_force: "GTC",
        quantity: 0.1,
        price: 190,
        client_order_id: id
      }
    })
    const answer = yield* Effect.raceFirst(client.take("order_response"), client.take("err"))
    if ("err" in answer) placed.unknown.add(id)
    else {
      assert.strictEqual(answer["order_response"].status, "ACK", JSON.stringify(answer))
      placed.acked.add(answer["order_response"].client_order_id)
    }
  }
})

it.live(
  "I1, I4, I20: every order is recorded exactly once and gets a reply, although one runner joins and another leaves",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const start = Effect.fnUntraced(function* () {
        const scope = yield* Scope.make()
        const port = yield* Effect.promise(freePort)
        const services = yield* Layer.buildWithScope(runner(url, port), scope)
        return { scope, markets: Context.get(services, LocalEntities).markets }
      })
      const first = yield* start()
      const services = yield* Layer.build(gateway(url))
      const venue = Context.get(services, TestVenue)
      for (const symbol of symbols) {
        yield* Effect.retry(Effect.sandbox(venue.price(symbol, 200)), Schedule.spaced("200 millis"))
      }
      let over = false
      const everybody: Array<{ readonly placed: Placed; readonly client: Client; readonly fiber: Fiber.Fiber<void> }> =
        []
      for (const name of ["ann", "ben", "cid", "dot"]) {
        const user = yield* venue.user(name)
        const client = yield* venue.trade(user)
        const placed: Placed = { acked: new Set(), unknown: new Set(), sent: 0 }
        const fiber = yield* Effect.forkScoped(keepPlacing(client, name, placed, () => over))
        everybody.push({ placed, client, fiber })
      }
      const ackedByAll = () => everybody.reduce((sum, { placed }) => sum + placed.acked.size, 0)
      /** Waits until every client receives replies again. */
      const progress = Effect.gen(function* () {
        const before = everybody.map(({ placed }) => placed.acked.size)
        yield* Effect.repeat(Effect.sleep("20 millis"), {
          until: () => everybody.every(({ placed }, index) => placed.acked.size >= before[index]! + 8)
        })
      }).pipe(Effect.timeout("10 minutes"))

      yield* progress
      const second = yield* start()
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => second.markets.size > 0 }).pipe(
        Effect.timeout("10 minutes")
      )
      yield* progress
      yield* Scope.close(first.scope, Exit.void)
      yield* progress
      over = true
      for (const { fiber } of everybody) yield* Fiber.join(fiber)

      assert.isAbove(ackedByAll(), 50)
      for (const { client, placed } of everybody) {
        yield* client.send({ type: "get_user_orders", params: {} })
        const { all_orders_response: open } = yield* client.take("all_orders_response")
        const ids: Array<string> = open.orders.map((order: { client_order_id: string }) => order.client_order_id)
        assert.strictEqual(new Set(ids).size, ids.length, "an order stands twice")
        for (const id of placed.acked) assert.include(ids, id, "an acknowledged order is gone")
        for (const id of ids) assert.isTrue(placed.acked.has(id) || placed.unknown.has(id))
      }
      yield* Scope.close(second.scope, Exit.void)
    }),
  900_000
)
