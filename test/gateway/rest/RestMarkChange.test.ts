import { changePercent, empty, type Samples, sampled } from "@venue/gateway/rest/MarkChange"
import { expect, it } from "vitest"

const minute = 60_000
const day = 24 * 60 * minute

/** One mark a minute, `markAt` of the minute's number. */
const minutes = (count: number, markAt: (index: number) => number): Samples => {
  let samples = empty
  for (let index = 0; index < count; index++) samples = sampled(samples, markAt(index), index * minute)
  return samples
}

it("the change is from the mark of a day ago, in percent", () => {
  const samples = minutes(1_500, (index) => 1_000 + index)
  expect(changePercent(samples, 2_120, 1_500 * minute)).toBeCloseTo(100, 10)
  expect(changePercent(samples, 530, 1_500 * minute)).toBeCloseTo(-50, 10)
})

it("a mark that was set long ago and never moved since was in force a day ago", () => {
  const samples = sampled(sampled(empty, 100, 0), 110, 3 * day)
  expect(changePercent(samples, 110, 3 * day)).toBeCloseTo(10, 10)
})

it("nothing is said while nothing is known of a day ago", () => {
  expect(changePercent(empty, 100, day)).toBe(0)
  expect(
    changePercent(
      minutes(60, () => 100),
      200,
      60 * minute
    )
  ).toBe(0)
})

it("a day of minutes is held, however long it goes on", () => {
  expect(minutes(5_000, () => 1).length).toBe(24 * 60 + 1)
  expect(
    sampled(
      minutes(1, () => 1),
      9,
      59_999
    )
  ).toEqual([{ minute: 0, mark: 1 }])
})
