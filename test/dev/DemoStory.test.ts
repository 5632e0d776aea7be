/** The demo, told against a stand-in for the venue. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestConsole } from "effect/testing"
import * as DemoStory from "../../apps/dev/DemoStory.ts"
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
      assert.include(told, "bob    position -10.00 -> 0.00")
      assert.include(told, "bob    100000.00 + realised 0.00 - fees 2.40 = 99997.60")
      assert.notInclude(told, "does not add up")
      assert.strictEqual(venue.open.size, 0)
    }).pipe(Effect.provide(layer), Effect.scoped),
  30_000
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
  30_000
)
