/** Tests of the demo against a stand-in for the venue. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestConsole } from "effect/testing"
import * as DemoFunding from "../../../apps/dev/DemoFunding.ts"
import * as DemoStory from "../../../apps/dev/DemoStory.ts"
import { StandIn } from "./StandIn.ts"

const layer = Layer.merge(TestConsole.layer, SecureRandom.layerWebCrypto)

const user = (name: string) => ({ name, public_key: name, secret_key: Redacted.make(`secret of ${name}`) })

it.live(
  "the demo prints consistent fills, positions and balances, and ends without a position",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      yield* DemoStory.run({ urls: venue.urls, users: [user("alice"), user("bob")] })
      const output = (yield* TestConsole.logLines).join("\n")
      assert.include(output, "alice  bought 10.00 x 200.00 = 2000.00; fee 2000.00 x 0.10 % = 2.00")
      assert.include(output, "alice  stop     TAKE_PROFIT SELL 10.00 once the mark rises to 204.00")
      assert.include(output, "alice  stop     STOP_LOSS SELL 10.00 once the mark falls to 196.00")
      assert.include(output, "bob    position -10.00 -> 0.00")
      assert.include(output, "bob    100000.00 + realised 0.00 - fees 2.40 = 99997.60")
      assert.notInclude(output, "does not add up")
      assert.deepStrictEqual([venue.open.size, venue.stops.size], [0, 0])
    }).pipe(Effect.provide(layer), Effect.scoped),
  900_000
)

it.live(
  "the demo prints the cost of an hour of funding: 0.204 for a long position of 50 at 204",
  () =>
    Effect.gen(function* () {
      yield* DemoFunding.run
      const output = (yield* TestConsole.logLines).join("\n")
      assert.include(output, "longs pay shorts 0.20 bps")
      assert.include(output, "ann    funding -0.204, for 50.00 x 204.00 x 0.20 bps")
      assert.include(output, "ben    funding 0.204; rounding leaves 0.00; the sum is 0.00")
    }).pipe(Effect.provide(layer)),
  900_000
)

it.live(
  "the demo exits with a message if the venue does not recognise the API key",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      const stranger = { ...user("alice"), secret_key: Redacted.make("wrong") }
      const failed = yield* Effect.flip(DemoStory.run({ urls: venue.urls, users: [stranger, user("bob")] }))
      assert.match(failed.message, /^alice cannot sign in at .*: PermissionDenied/)
    }).pipe(Effect.provide(layer), Effect.scoped),
  900_000
)
