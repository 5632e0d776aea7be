/** Tests of slots for long responses: limited per client and in total, and released at the end. */
import { problems } from "@venue/api/Problem"
import * as Places from "@venue/gateway/rest/Places"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { HttpServerRequest } from "effect/http"

it.effect(
  "returns 429 to a client that uses all of its own slots, and 503 to every client while all slots are in use",
  () =>
    Effect.gen(function* () {
      const { chartsFull: full, tooManyCharts: tooMany } = problems("http://venue.test")
      const place = Places.make({ maxOfOne: 2, maxOfAll: 3, tooMany, full })
      const [first, rest] = [yield* Scope.make(), yield* Scope.make()]
      const statusOf = (client: string) => Effect.map(Effect.flip(Effect.scoped(place(client))), ({ status }) => status)
      yield* Scope.provide(place("one"), first)
      yield* Scope.provide(place("one"), rest)
      assert.strictEqual(yield* statusOf("one"), 429)
      yield* Scope.provide(place("other"), rest)
      assert.strictEqual(yield* statusOf("other"), 503)
      yield* Scope.close(first, Exit.void)
      yield* Effect.scoped(place("one"))
      yield* Scope.close(rest, Exit.void)
      yield* Effect.scoped(Effect.all([place("one"), place("one"), place("other")]))
    }).pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://venue.test/candles/GOLD-USD"))
      )
    )
)
