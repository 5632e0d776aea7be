/** Tests of cancel on disconnect over several nodes: desks move while connections are armed, and gateways crash. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { assert, it } from "@effect/vitest"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { aapl, limit, say } from "../venue/Story.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const arm = say("cancel_on_disconnect", { cancel_on_disconnect: true })
const buy = (name: string) => limit("BUY", 1, 190, { client_order_id: name })

const start = Effect.fnUntraced(function* (url: Parameters<typeof runner>[0]) {
  const scope = yield* Scope.make()
  const port = yield* Effect.promise(freePort)
  const services = yield* Layer.buildWithScope(runner(url, port), scope)
  return { scope, desks: Context.get(services, LocalEntities).desks }
})

/** Requests the open orders, and retries while a desk is moving to another node. */
const openOrders = Effect.fnUntraced(function* (client: Client) {
  yield* client.drain
  yield* client.send(say("get_user_orders"))
  const answer = yield* Effect.raceFirst(client.take("all_orders_response"), client.take("err"))
  if ("err" in answer) return undefined
  return answer.all_orders_response.orders.map(({ client_order_id }) => client_order_id).toSorted()
})

/** Waits until exactly these orders are open. */
const isLeft = (client: Client, names: ReadonlyArray<string>) =>
  openOrders(client).pipe(
    Effect.repeat({ until: (open) => open?.join() === names.join(), schedule: Schedule.spaced("100 millis") }),
    Effect.timeout("10 minutes"),
    Effect.orDie
  )

it.live(
  "I34: keeps all orders when a desk moves, but cancels the orders of a gateway's connections when that gateway crashes",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const first = yield* start(url)
      const services = yield* Layer.build(gateway(url))
      const venue = Context.get(services, TestVenue)
      yield* Effect.retry(Effect.sandbox(venue.price(aapl, 200)), Schedule.spaced("200 millis"))
      const alice = yield* venue.user("alice")
      const dying = yield* venue.gateway
      const armed = yield* venue.trade(alice, [], { gateway: dying })
      const other = yield* venue.trade(alice, [])
      yield* armed.send(arm)
      yield* armed.take("ack")
      yield* armed.send(buy("armed"))
      yield* other.send(buy("other"))
      yield* isLeft(other, ["armed", "other"])

      const second = yield* start(url)
      yield* Scope.close(first.scope, Exit.void)
      yield* Effect.repeat(Effect.sleep("100 millis"), { until: () => second.desks.size === 4 }).pipe(
        Effect.timeout("10 minutes")
      )
      // The orders are still open after more than one lease period.
      yield* Effect.sleep("4500 millis")
      yield* isLeft(other, ["armed", "other"])
      assert.isUndefined(armed.closedWith())

      yield* dying.cut
      yield* Effect.sleep("1 second")
      yield* other.send(buy("after"))
      yield* isLeft(other, ["after"])
      yield* Effect.sleep("1 second")
      yield* isLeft(other, ["after"])
      yield* Scope.close(second.scope, Exit.void)
    }),
  900_000
)
