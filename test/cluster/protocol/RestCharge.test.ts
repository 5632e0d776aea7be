/** What a desk tells of a weight, in one number. */
import * as RestCharge from "@venue/cluster/protocol/RestCharge"
import * as RateLimits from "@venue/domain/RateLimits"
import { restRates } from "@venue/domain/RestRates"
import { assert, it } from "@effect/vitest"

const charging = () => RateLimits.make({ ...restRates.requests, enabled: true, nowMillis: () => 0 })

it("a gateway that asks hears what the desk knows, of what was taken and of what was not", () => {
  const limits = charging()
  for (const weight of [1, 10, 1_189, 20, 10_000]) {
    const charge = limits.charge("alice", weight)
    assert.deepStrictEqual(RestCharge.heard(RestCharge.told(charge, true), "requests", weight), charge)
  }
})

it("a gateway of an earlier release hears 0, or how long to wait", () => {
  const limits = charging()
  const told = [1_200, 20].map((weight) => RestCharge.told(limits.charge("alice", weight), false))
  assert.deepStrictEqual(told, [0, 1_000])
})
