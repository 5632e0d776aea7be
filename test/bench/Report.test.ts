/** How rounds become a verdict. */
import { expect, it } from "vitest"
import { type Goal, median, type Row, round, table, verdict } from "./Report.ts"

const higher: Goal = { better: "higher", solid: 1, aim: 3 }
const lower: Goal = { better: "lower", solid: 2, aim: 1 }
const row = (goal: Goal | null, ...ratios: ReadonlyArray<number>): Row => ({
  name: "a row",
  unit: "orders/s",
  anchor: "an anchor",
  rounds: ratios.map((ratio) => round(ratio, 1)),
  goal,
  notes: []
})

it("the median is the middle of the rounds, or the mean of the two in the middle", () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 7])).toBe(6)
})

it("the median of the rounds decides, and the worst is told", () => {
  expect(verdict(row(higher, 3.5, 0.2, 3.1, 0.9, 4))).toEqual({ median: 3.1, worst: 0.2, met: "aim" })
  expect(verdict(row(higher, 0.9, 9, 0.8, 0.7, 9))).toEqual({ median: 0.9, worst: 0.7, met: "missed" })
})

it("where less is better the worst is the largest", () => {
  expect(verdict(row(lower, 1.5, 8, 1.2, 0.5, 1.9))).toEqual({ median: 1.5, worst: 8, met: "solid" })
})

it("a row without a goal has a median and a worst, and no level", () => {
  expect(verdict(row(null, 1.1, 0.9, 1))).toEqual({ median: 1, worst: 0.9, met: "" })
})

it("one void round makes the row void, and its ratio counts for nothing", () => {
  const { rounds, ...rest } = row(higher, 4, 4, 4)
  const judged = verdict({ ...rest, rounds: [...rounds, { ...round(0.1, 1), void: "refused" }] })
  expect(judged).toEqual({ median: 4, worst: 4, met: "void" })
})

it("the table has one line for each row, with its rounds in the order they were run", () => {
  expect(table([row(higher, 1.25, 0.5, 2)]).split("\n")[2]).toBe(
    "| a row | an anchor | 1.25, 0.500, 2.00 | 1.25 | 0.500 | ≥ 1 / 3 | solid |"
  )
})
