import { FeeShare } from "@venue/domain/FeeShare"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"

const isShare = Schema.is(FeeShare)

it("the venue has at least half of a fee, a builder at most half, and both together no more than all of it", () => {
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
