import { changePercent, type Mark, type Marks, of, split, take } from "@venue/gateway/marketData/Marks"
import { expect, it } from "vitest"

const minute = 60_000
const day = 24 * 60

/** Returns one mark per minute, with the price `markAt(minute)`. */
const minutes = (count: number, markAt: (index: number) => number): Marks => {
  const marks = of([])
  for (let index = 0; index < count; index++) take(marks, index * minute, markAt(index))
  return marks
}

it("returns the change in percent since the mark 1,440 minutes ago, with two decimals", () => {
  const marks = minutes(1_500, (index) => 1_000 + index)
  expect(changePercent(marks, 2_118, 1_499)).toBe(100)
  expect(changePercent(marks, 1_060, 1_499)).toBe(0.09)
  expect(changePercent(marks, 529, 1_500)).toBe(-50.09)
})

it("keeps the last mark of each minute", () => {
  const marks = of([])
  for (const [millis, markE8] of [
    [0, 50],
    [59_999, 100],
    [60_000, 200]
  ] as const)
    take(marks, millis, markE8)
  expect(marks.rows).toEqual([
    { minute: 0, markE8: 100 },
    { minute: 1, markE8: 200 }
  ])
  expect(changePercent(marks, 200, day)).toBe(100)
  expect(changePercent(marks, 200, day + 1)).toBe(0)
})

it("uses the last mark before the 24-hour window if the window has no mark", () => {
  const marks = of([{ minute: 0, markE8: 100 }])
  take(marks, 3 * day * minute, 110)
  expect(changePercent(marks, 110, 3 * day)).toBe(10)
  expect(changePercent(of([{ minute: 0, markE8: 100 }]), 110, 3 * day)).toBe(10)
})

it("returns a change of 0 if no mark from a day ago exists", () => {
  expect(changePercent(of([]), 100, day)).toBe(0)
  const hour = minutes(60, () => 100)
  expect(changePercent(hour, 200, 60)).toBe(0)
})

it("keeps one mark per minute for one day, and the last mark before that day", () => {
  expect(minutes(5_000, () => 1).rows.length).toBe(day + 1)
})

it("rule 19.2: converts earlier marks to new units, whether the split arrives by the feed or is read from the log", () => {
  const ratio = { numerator: 4, denominator: 1, atMillis: 5 * minute + 1 }
  const before: ReadonlyArray<Mark> = [
    { minute: 3, markE8: 800 },
    { minute: 5, markE8: 402 }
  ]
  const followed = of(before)
  split(followed, ratio)
  take(followed, ratio.atMillis, 100)
  take(followed, 9 * minute, 110)
  const loaded = of([before[0]!, { minute: 5, markE8: 100 }, { minute: 9, markE8: 110 }], [ratio])
  expect(followed).toEqual(loaded)
  expect(changePercent(followed, 110, day + 3)).toBe(-45)

  const again = { numerator: 2, denominator: 1, atMillis: 10 * minute }
  split(followed, again)
  const twice = of([before[0]!, { minute: 5, markE8: 100 }, { minute: 9, markE8: 110 }], [ratio, again])
  expect(followed).toEqual(twice)
  expect(twice.rows.map(({ markE8 }) => markE8)).toEqual([100, 50, 55])
})
