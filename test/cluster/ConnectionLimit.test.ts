/** Tests of a user's connection limit over all gateways while the user's desk moves. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

it.live(
  "I48: a desk that has moved enforces a user's connection limit again within seconds",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const start = Effect.fnUntraced(function* () {
        const scope = yield* Scope.make()
        const port = yield* Effect.promise(freePort)
        const services = yield* Layer.buildWithScope(runner(url, port, { rateLimits: true }), scope)
        return { scope, desks: Context.get(services, LocalEntities).desks }
      })
      const first = yield* start()
      const services = yield* Layer.build(gateway(url, { rateLimits: true }))
      const venue = Context.get(services, TestVenue)
      const alice = yield* venue.user("alice")
      const desk = deskOf(alice.userId, Context.get(services, VenueSettings).desks)
      const soon = Schedule.spaced("200 millis")
      const signIn = Effect.gen(function* () {
        const client = yield* venue.connect
        yield* client.send({ type: "auth", params: { hmac: yield* venue.sign(alice) } })
        const answer = yield* Effect.raceFirst(client.take("type"), client.take("err"))
        return "err" in answer ? String(answer["err"].error_code) : "welcome"
      })
      // Connections are refused until the first runner has its shards.
      yield* Effect.repeat(signIn, { until: (told) => told === "welcome", schedule: soon })
      for (let n = 1; n < 20; n++) assert.strictEqual(yield* signIn, "welcome")
      assert.strictEqual(yield* signIn, "RateLimited")

      const second = yield* start()
      yield* Scope.close(first.scope, Exit.void)
      yield* Effect.repeat(Effect.sleep("100 millis"), { until: () => second.desks.has(desk) })
      yield* Effect.sleep("3 seconds")
      assert.strictEqual(yield* signIn, "RateLimited")
    }).pipe(Effect.scoped),
  900_000
)
