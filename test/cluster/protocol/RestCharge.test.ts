/** Tests of the encoding of REST charges. */
import * as RestCharge from "@venue/cluster/protocol/RestCharge"
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { assert, it } from "@effect/vitest"

const charging = () => RateLimits.make({ ...restRates.requests, enabled: true, nowMillis: () => 0 })

it("decodes the remaining quota after an accepted charge, and the waiting time after a refused charge", () => {
  const limits = charging()
  for (const weight of [1, 10, 1_189, 20, 10_000]) {
    const charge = limits.charge("alice", weight)
    assert.deepStrictEqual(RestCharge.decode(RestCharge.encode(charge, true), "requests", weight), charge)
  }
})

it("for a gateway of an earlier release, encodes only the waiting time, which is 0 for an accepted charge", () => {
  const limits = charging()
  const encoded = [1_200, 20].map((weight) => RestCharge.encode(limits.charge("alice", weight), false))
  assert.deepStrictEqual(encoded, [0, 1_000])
})
