/** Tests of limits and keys that two gateways share. */
import { KeyRotation } from "@venue/auth/keys/KeyRotation"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import * as RestBuckets from "@venue/cluster/clients/RestBuckets"
import { UserId } from "@venue/domain/UserId"
import { it } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { decodeProtectedHeader } from "jose"
import { randomUUID } from "node:crypto"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const spaced = Schedule.spaced("20 millis")

it.live(
  "two gateways share a user's REST rate limit, and both sign with the new key after one of them rotates the signing key",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Layer.build(runner(url, yield* Effect.promise(freePort), { rateLimits: true }))
      const start = Layer.build(Layer.fresh(gateway(url, { rateLimits: true })))
      const [one, other] = [yield* start, yield* start]

      const chargeOf = (services: typeof one) => Effect.provide(RestBuckets.make("requests"), services)
      const [chargeOne, chargeOther] = [yield* chargeOf(one), yield* chargeOf(other)]
      // Retried with a new user each time: while the desk is slow, each gateway charges only its own bucket, and the
      // user does not wait.
      const spentTwice = Effect.gen(function* () {
        const somebody = UserId.make(randomUUID())
        yield* chargeOne(somebody, 1_200)
        return yield* chargeOther(somebody, 1_200)
      })
      yield* Effect.repeat(spentTwice, { until: ({ waitMillis }) => waitMillis > 0, schedule: spaced })
      // Both gateways report the quota of the shared bucket.
      const toldTwice = Effect.gen(function* () {
        const somebody = UserId.make(randomUUID())
        yield* chargeOne(somebody, 1_000)
        return yield* chargeOther(somebody, 150)
      })
      yield* Effect.repeat(toldTwice, { until: ({ quota }) => (quota?.remaining ?? 1_200) < 100, schedule: spaced })

      const operator = { actor: "operator", reason: "a test" }
      const rotation = Context.get(one, KeyRotation)
      const keys = Context.get(other, SigningKeys)
      const kid = yield* rotation.standby(operator)
      yield* rotation.activate(kid, { emergency: true }, operator)
      const signedWith = Effect.map(keys.sign({}, "JWT"), (token) => decodeProtectedHeader(token).kid)
      yield* Effect.repeat(signedWith, { until: (signer) => signer === kid, schedule: spaced })
    }).pipe(Effect.scoped),
  900_000
)
