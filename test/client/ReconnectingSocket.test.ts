/** Tests of the reconnecting socket's backoff, on the test clock. */
import { CredentialsUnavailable } from "@venue/client/Credentials"
import { keepOpen } from "@venue/client/ReconnectingSocket"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

it.effect("doubles the pause between connection attempts up to the maximum, with 20 % jitter", () =>
  Effect.gen(function* () {
    const losses: Array<number> = []
    const clock = yield* TestClock.testClockWith(Effect.succeed)
    const handlers = {
      // The greeting fails before a connection is made, so that only the pauses take time.
      greeting: Effect.fail(new CredentialsUnavailable({ reason: "signed out" })),
      opened: () => {},
      received: () => {},
      closed: (reason: string) => {
        assert.strictEqual(reason, "signed out")
        losses.push(clock.currentTimeMillisUnsafe())
      }
    }
    yield* Effect.forkScoped(keepOpen("ws://127.0.0.1:1", handlers, { firstMillis: 1_000, maxMillis: 8_000 }))
    yield* TestClock.adjust("1 minute")
    const pauses = losses.slice(1).map((at, index) => at - losses[index]!)
    assert.isAbove(pauses.length, 5)
    for (const [index, pause] of pauses.entries()) {
      assert.approximately(pause / Math.min(1_000 * 2 ** index, 8_000), 1, 0.2)
    }
  }).pipe(Effect.scoped)
)
