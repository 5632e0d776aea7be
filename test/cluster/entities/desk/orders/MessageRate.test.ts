import * as MessageRate from "@venue/cluster/entities/desk/orders/MessageRate"
import { UserId } from "@venue/domain/UserId"
import * as fc from "fast-check"
import { expect, it } from "vitest"

const general = (weight: number) => ({ bucket: "general", weight }) as const

it("accepts a burst of 12,000 messages after idle time, and then returns the exact waiting time", () => {
  const rate = MessageRate.make()
  expect(MessageRate.spend(rate, general(12_000), 0)).toBe(0)
  const wait = MessageRate.spend(rate, general(1), 0)
  expect(wait).toBeGreaterThan(0)
  expect(MessageRate.spend(rate, general(1), wait - 1)).toBe(1)
  expect(MessageRate.spend(rate, general(1), wait)).toBe(0)
})

it("returns a positive waiting time for a weight near or above the bucket's capacity", () => {
  const rate = MessageRate.make()
  expect(MessageRate.spend(rate, general(12_001), 0)).toBeGreaterThan(0)
  expect(MessageRate.spend(rate, general(1), 0)).toBe(0)
  expect(MessageRate.spend(rate, general(11_999.5), 0)).toBeGreaterThan(0)
})

it("charges cancels to a separate bucket", () => {
  const rate = MessageRate.make()
  MessageRate.spend(rate, general(12_000), 0)
  expect(MessageRate.spend(rate, { bucket: "cancel", weight: 12_000 }, 0)).toBe(0)
})

it("stores the message load of a limited number of users", () => {
  const spend = MessageRate.ofUsers()
  const others = (count: number) => {
    for (let n = 0; n < count; n++) spend(UserId.make(`other-${n}`), general(1), 0)
  }
  expect(spend(UserId.make("busy"), general(12_000), 0)).toBe(0)
  others(19_999)
  expect(spend(UserId.make("busy"), general(1), 0)).toBeGreaterThan(0)
  spend(UserId.make("another"), general(1), 0)
  expect(spend(UserId.make("busy"), general(1), 0)).toBeGreaterThan(0)
  others(40_000)
  expect(spend(UserId.make("busy"), general(12_000), 0)).toBe(0)
})

it("never exceeds a load of 12,000, however the clock changes, and charges nothing for a refusal", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ weight: fc.integer({ min: 0, max: 13_000 }), step: fc.integer({ min: -30_000, max: 30_000 }) })
      ),
      (messages) => {
        const rate = MessageRate.make()
        let now = 1_000_000
        for (const { step, weight } of messages) {
          now += step
          const before = rate.loads.general
          const wait = MessageRate.spend(rate, general(weight), now)
          expect(rate.loads.general).toBeLessThanOrEqual(12_000)
          expect(wait > 0 || rate.loads.general >= weight).toBe(true)
          expect(rate.loads.general).toBeLessThanOrEqual(before + (wait === 0 ? weight : 0))
        }
      }
    )
  )
})
