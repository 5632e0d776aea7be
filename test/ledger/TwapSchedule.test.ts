/** Tests of the slices of a TWAP: sizes and due times. */
import { AccountId } from "@venue/domain/AccountId"
import { type Twap, TwapId, unplaced } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import * as TwapSchedule from "@venue/ledger/TwapSchedule"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { id } from "../Id.ts"

const start = 1_790_503_200_000
const unbound = 100_000_000

const twapOf = (over: Partial<Twap> = {}): Twap => ({
  ...unplaced(
    {
      twapId: TwapId.make(id("twap").text),
      userId: UserId.make("alice"),
      accountId: AccountId.make("alice"),
      clientTwapId: "",
      side: "BUY",
      totalLots: 10_000,
      slices: 3,
      intervalMillis: 30_000,
      reduceOnly: false,
      worstTicks: 0,
      builderCode: "",
      startMillis: start,
      createdAtMillis: start
    },
    start
  ),
  ...over
})

/** Sizes of all slices in order, each filled as `fill` returns. */
const sizes = (twap: Twap, fill: (lots: number, slice: number) => number, most = unbound): ReadonlyArray<number> => {
  const lots: Array<number> = []
  let filledLots = 0
  for (let slice = 1; slice <= twap.slices; slice++) {
    const size = TwapSchedule.lotsOf({ ...twap, filledLots }, slice, most)
    lots.push(size)
    filledLots += fill(size, slice)
  }
  return lots
}

/** Reference that distributes the missing lots one at a time over the remaining slices, last slice first. */
const dealt = ({ filledLots, slices, totalLots }: Twap, slice: number, most: number): number => {
  const even = Math.floor(totalLots / slices)
  const left = Array.from({ length: slices - slice + 1 }, () => even)
  left[left.length - 1]! += totalLots - even * slices
  let at = left.length - 1
  for (let missing = even * (slice - 1) - filledLots; missing > 0; missing--) {
    left[at]!++
    at = at === 0 ? left.length - 1 : at - 1
  }
  const rest = slice === slices ? totalLots - even * (slices - 1) : 0
  return Math.min(left[0]!, Math.max(3 * even, rest), most)
}

describe("rule 16.4: size of a slice", () => {
  it("divides 10 into slices of 3.333, 3.333 and 3.334", () => {
    assert.deepStrictEqual(
      sizes(twapOf(), (lots) => lots),
      [3_333, 3_333, 3_334]
    )
  })

  it("after a first slice that fills only 1.000, the remaining slices are 4.499 and 4.501", () => {
    assert.deepStrictEqual(
      sizes(twapOf(), (lots, slice) => (slice === 1 ? 1_000 : lots)),
      [3_333, 4_499, 4_501]
    )
  })

  it("limits a slice to three times an even share, and to the maximum order size", () => {
    assert.deepStrictEqual(
      sizes(twapOf({ slices: 5 }), () => 0),
      [2_000, 2_500, 3_333, 5_000, 6_000]
    )
    assert.deepStrictEqual(
      sizes(twapOf({ slices: 5 }), () => 0, 3_000),
      [2_000, 2_500, 3_000, 3_000, 3_000]
    )
  })

  it("for any fills, the slices equal a distribution of the remaining lots one at a time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 12, max: 400 }),
        fc.integer({ min: 20, max: 500 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
        (slices, totalLots, most, parts) => {
          let twap = twapOf({ slices, totalLots })
          for (let slice = 1; slice <= slices; slice++) {
            const lots = TwapSchedule.lotsOf(twap, slice, most)
            assert.strictEqual(lots, dealt(twap, slice, most), `slice ${slice} of ${slices}, ${twap.filledLots} filled`)
            assert.isAbove(lots, 0)
            // Some slices fill completely and some not at all.
            const part = Math.max(0, Math.min(1, parts[slice - 1]! * 2 - 0.5))
            twap = { ...twap, filledLots: twap.filledLots + Math.floor(lots * part) }
            assert.isAtMost(twap.filledLots, totalLots)
          }
        }
      )
    )
  })

  it("if all slices fill, their sum is the total, for any number of slices", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.integer({ min: 300, max: 2 ** 40 }), (slices, totalLots) => {
        const all = sizes(twapOf({ slices, totalLots }), (lots) => lots, Infinity)
        assert.strictEqual(
          all.reduce((sum, lots) => sum + lots, 0),
          totalLots
        )
      })
    )
  })
})

describe("rule 16.3: due time of a slice", () => {
  const stepAt = (lastSlice: number, seconds: number) =>
    TwapSchedule.stepAt(twapOf({ lastSlice }), unbound, start + seconds * 1_000)
  const wait = (seconds: number): TwapSchedule.Step => ({ _tag: "Wait", untilMillis: start + seconds * 1_000 })

  it.each<[number, number, TwapSchedule.Step]>([
    [0, -0.001, wait(0)],
    [0, 0, { _tag: "Slice", slice: 1, lots: 3_333 }],
    [1, 0, wait(30)],
    [1, 29.999, wait(30)],
    [1, 30, { _tag: "Slice", slice: 2, lots: 4_999 }],
    [2, 59.999, wait(60)],
    [2, 60, { _tag: "Slice", slice: 3, lots: 9_999 }],
    [3, 60, { _tag: "Over" }],
    [2, 89.999, { _tag: "Slice", slice: 3, lots: 9_999 }],
    [2, 90, { _tag: "Over" }]
  ])("after slice %i and %d s, the next step is %j", (lastSlice, seconds, step) => {
    assert.deepStrictEqual(stepAt(lastSlice, seconds), step)
  })

  it("I31: skips missed slices, places only the current slice, and places none after the TWAP's end", () => {
    assert.deepStrictEqual(stepAt(0, 89), { _tag: "Slice", slice: 3, lots: 9_999 })
    assert.deepStrictEqual(stepAt(0, 90), { _tag: "Over" })
    assert.deepStrictEqual(stepAt(0, 45), { _tag: "Slice", slice: 2, lots: 4_999 })
  })

  it("places no slice again if the clock goes back", () => {
    assert.deepStrictEqual(stepAt(2, 0), wait(60))
  })

  it("I31: places each slice once and never before it is due, whenever the schedule is evaluated", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 20 }),
        fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 60 }),
        (slices, steps) => {
          let twap = twapOf({ slices, totalLots: 10_000 })
          let nowMillis = start - 50_000
          for (const step of steps) {
            nowMillis += step
            const due = TwapSchedule.stepAt(twap, unbound, nowMillis)
            if (due._tag === "Wait") assert.isAbove(due.untilMillis, nowMillis)
            if (due._tag !== "Slice") continue
            assert.isAbove(due.slice, twap.lastSlice)
            assert.isAtMost(due.slice, slices)
            assert.isAtLeast(nowMillis, TwapSchedule.dueMillis(twap, due.slice))
            assert.isBelow(nowMillis, TwapSchedule.dueMillis(twap, due.slice + 1))
            twap = { ...twap, lastSlice: due.slice, filledLots: twap.filledLots + due.lots }
          }
          assert.isAtMost(twap.filledLots, twap.totalLots)
        }
      )
    )
  })
})
