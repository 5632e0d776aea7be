import { FeeShare, split } from "@venue/domain/FeeShare"
import { assert, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"

const isShare = Schema.is(FeeShare)

it("requires the venue's share to be at least half of a fee, and both shares together to be at most the fee", () => {
  for (const [venueBps, builderBps] of [
    [5_000, 0],
    [5_000, 5_000],
    [10_000, 0],
    [7_000, 2_000]
  ]) {
    expect([venueBps, builderBps, isShare({ venueBps, builderBps })]).toEqual([venueBps, builderBps, true])
  }
  for (const [venueBps, builderBps] of [
    [4_999, 0],
    [10_001, 0],
    [5_000, -1],
    [5_000, 5_001],
    [5_001, 5_000],
    [5_000.5, 0],
    [NaN, 0]
  ]) {
    expect([venueBps, builderBps, isShare({ venueBps, builderBps })]).toEqual([venueBps, builderBps, false])
  }
})

it("rule 12.3: divides a fee of 10.20 into 6.12 at 6,000 bps, 3.06 at 3,000 bps and a remainder of 1.02", () => {
  expect(split(10_200_000, { venueBps: 6_000, builderBps: 3_000 })).toEqual({
    builder: 3_060_000,
    venue: 6_120_000,
    remainder: 1_020_000
  })
  expect(split(10_200_000, { venueBps: 5_000, builderBps: 5_000 })).toEqual({
    builder: 5_100_000,
    venue: 5_100_000,
    remainder: 0
  })
})

const share = fc
  .integer({ min: 5_000, max: 10_000 })
  .chain((venueBps) => fc.record({ venueBps: fc.constant(venueBps), builderBps: fc.nat(10_000 - venueBps) }))

it("I18: divides any fee without a difference, and rounds both shares down", () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), fc.nat(30_000)), share, (fee, share) => {
      const { builder, remainder, venue } = split(fee, share)
      assert.strictEqual(BigInt(builder), (BigInt(fee) * BigInt(share.builderBps)) / 10_000n)
      assert.strictEqual(BigInt(venue), (BigInt(fee) * BigInt(share.venueBps)) / 10_000n)
      assert.strictEqual(BigInt(builder) + BigInt(venue) + BigInt(remainder), BigInt(fee))
      assert.isAtLeast(Math.min(builder, venue, remainder), 0)
    }),
    { numRuns: 2_000 }
  )
})
