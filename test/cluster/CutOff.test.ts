/** Tests of a gateway without a database connection while the rest of the venue trades. */
import { Health } from "@venue/gateway/http/Health"
import { Revocations } from "@venue/storage/access/Revocations"
import type { Client } from "@venue/testing/Client"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { through } from "../chaos/DatabaseLine.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const symbol = "AAPL-USD"

const add = (price: number) => ({
  type: "add_order",
  params: { symbol, side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC", quantity: 0.1, price }
})

/** Returns the reply to the last command. */
const answer = (client: Client) =>
  Effect.map(Effect.raceFirst(client.take("order_response"), client.take("err")), (frame) =>
    "err" in frame ? `${frame["err"].error_code}: ${frame["err"].message}` : frame["order_response"].status
  )

it.live(
  "I40: a gateway that loses the database refuses added risk after 3 s, and closes all connections after 10 s",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const port = yield* Effect.promise(freePort)
      yield* Layer.build(runner(url, port))
      const line = yield* through(url)
      const cut = yield* Layer.build(Layer.provideMerge(Health.layerGateway, gateway(line.url)))
      const whole = Context.get(yield* Layer.build(gateway(url)), TestVenue)
      const venue = Context.get(cut, TestVenue)
      const { ready } = Context.get(cut, Health)
      const { delayMillis } = Context.get(cut, Revocations)
      const until = (isSo: () => boolean) => Effect.repeat(Effect.sleep("20 millis"), { until: isSo })
      yield* Effect.retry(Effect.sandbox(whole.price(symbol, 200)), Schedule.spaced("200 millis"))
      const client = yield* venue.trade(yield* venue.user("ann"), ["order_responses"])
      yield* client.send(add(190))
      const { order_response: resting } = yield* client.take("order_response")
      yield* until(ready)

      line.proxy.rule("*", { held: ["toServer", "toClient"] })
      yield* until(() => delayMillis() > 3_000)
      yield* client.send(add(191))
      assert.match(yield* answer(client), /^ServerError: .*revoked credentials.*try again/)
      const order_id = resting.order_id
      yield* client.send({ type: "cancel_order", params: { symbol, order_id, cancel_order_id_type: "order_id" } })
      assert.strictEqual(yield* answer(client), "CANCELLED")
      assert.isUndefined(client.closedWith())
      yield* until(() => client.closedWith() !== undefined)
      assert.strictEqual(client.closedWith()?.code, 1013)
      assert.isFalse(ready())

      line.proxy.heal("*")
      yield* until(ready)
      assert.isBelow(delayMillis(), 10_000)
      const again = yield* venue.trade(yield* venue.user("ben"), ["order_responses"])
      yield* until(() => delayMillis() < 2_000)
      yield* again.send(add(191))
      assert.strictEqual(yield* answer(again), "ACK")
    }),
  900_000
)
