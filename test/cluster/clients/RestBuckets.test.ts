import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import * as RestBuckets from "@venue/cluster/clients/RestBuckets"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as RateLimits from "@venue/domain/RateLimits"
import type { RestBucket } from "@venue/domain/RestRates"
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const alice = UserId.make("00000000-0000-4000-8000-000000000001")

/** Charges a bucket whose desk returns the given reply. */
const charging = (bucket: RestBucket, answer: Effect.Effect<number, Unavailable>, rateLimits = true) =>
  RestBuckets.make(bucket).pipe(
    Effect.provideService(DeskClient, { ask: () => answer } as unknown as DeskClient["Service"]),
    Effect.provideService(
      LocalEntities,
      LocalEntities.of({ markets: new Map(), desks: new Map(), gateways: new Set() })
    ),
    Effect.provideService(VenueSettings, { ...defaults, rateLimits })
  )

it.effect("returns the remaining quota or the waiting time that the desk reports", () =>
  Effect.gen(function* () {
    const refused = yield* charging("requests", Effect.succeed(700))
    assert.deepStrictEqual(yield* refused(alice, 20), {
      waitMillis: 700,
      quota: { capacity: 1_200, remaining: 6, fullInMillis: 59_700 }
    })
    const taken = yield* charging("requests", Effect.succeed(-601))
    assert.deepStrictEqual(yield* taken(alice, 20), {
      waitMillis: 0,
      quota: { capacity: 1_200, remaining: 600, fullInMillis: 30_000 }
    })
  })
)

it.effect("returns no quota if the desk runs an earlier release", () =>
  Effect.gen(function* () {
    const charge = yield* charging("requests", Effect.succeed(0))
    assert.deepStrictEqual(yield* charge(alice, 20), RateLimits.uncharged)
  })
)

it.effect("charges the gateway's own bucket if the desk does not reply within 500 ms", () =>
  Effect.gen(function* () {
    const charge = yield* charging("wallets", Effect.never)
    const asked = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 61 }, () => charge(alice, 1)),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("499 millis")
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    const waits = (yield* Fiber.join(asked)).map(({ waitMillis }) => waitMillis)
    assert.deepStrictEqual(waits, [...Array.from({ length: 60 }, () => 0), 1_000])
  })
)

it.effect("immediately charges the gateway's own bucket if the desk is unreachable", () =>
  Effect.gen(function* () {
    const charge = yield* charging("requests", Effect.fail(new Unavailable({ what: "a test" })))
    const charged = [yield* charge(alice, 1_200), yield* charge(alice, 20)]
    assert.deepStrictEqual(
      charged.map(({ quota, waitMillis }) => [waitMillis, quota?.remaining]),
      [
        [0, 0],
        [1_000, 0]
      ]
    )
  })
)

it.effect("calls no desk while rate limits are off", () =>
  Effect.gen(function* () {
    const charge = yield* charging("requests", Effect.never, false)
    assert.strictEqual(yield* charge(alice, 10_000), RateLimits.uncharged)
  })
)
