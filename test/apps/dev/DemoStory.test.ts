/** The demo, told against a stand-in for the venue. */
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
  "the demo's fills, positions and balances add up, and nobody holds anything at its end",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      yield* DemoStory.run({ urls: venue.urls, users: [user("alice"), user("bob")] })
      const told = (yield* TestConsole.logLines).join("\n")
      assert.include(told, "alice  bought 10.00 x 200.00 = 2000.00; fee 2000.00 x 0.10 % = 2.00")
      assert.include(told, "alice  stop     TAKE_PROFIT SELL 10.00 once the mark rises to 204.00")
      assert.include(told, "alice  stop     STOP_LOSS SELL 10.00 once the mark falls to 196.00")
      assert.include(told, "bob    position -10.00 -> 0.00")
      assert.include(told, "bob    100000.00 + realised 0.00 - fees 2.40 = 99997.60")
      assert.notInclude(told, "does not add up")
      assert.deepStrictEqual([venue.open.size, venue.stops.size], [0, 0])
    }).pipe(Effect.provide(layer), Effect.scoped),
  240_000
)

it.live(
  "the demo shows what an hour of funding costs, on a clock of its own: 0.204 for a long of 50 at 204",
  () =>
    Effect.gen(function* () {
      yield* DemoFunding.run
      const told = (yield* TestConsole.logLines).join("\n")
      assert.include(told, "longs pay 0.20 bps to shorts")
      assert.include(told, "ann    funding -0.204, for 50.00 x 204.00 x 0.20 bps")
      assert.include(told, "ben    funding 0.204; rounding leaves 0.00; the sum is 0.00")
    }).pipe(Effect.provide(layer)),
  240_000
)

it.live(
  "a key the venue does not know ends the demo with a sentence",
  () =>
    Effect.gen(function* () {
      const venue = yield* StandIn.start
      const stranger = { ...user("alice"), secret_key: Redacted.make("wrong") }
      const failed = yield* Effect.flip(DemoStory.run({ urls: venue.urls, users: [stranger, user("bob")] }))
      assert.include(failed.message, "does not let alice in: PermissionDenied")
    }).pipe(Effect.provide(layer), Effect.scoped),
  240_000
)
