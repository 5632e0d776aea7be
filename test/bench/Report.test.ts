/** Verdicts from the rounds' figures. */
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

it("returns the middle figure as the median, or the mean of the two middle figures", () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 7])).toBe(6)
})

it("bases the verdict on the median, and also reports the worst round", () => {
  expect(verdict(row(higher, 3.5, 0.2, 3.1, 0.9, 4))).toEqual({ median: 3.1, worst: 0.2, met: "aim" })
  expect(verdict(row(higher, 0.9, 9, 0.8, 0.7, 9))).toEqual({ median: 0.9, worst: 0.7, met: "missed" })
})

it("reports the largest figure as the worst round if a lower figure is better", () => {
  expect(verdict(row(lower, 1.5, 8, 1.2, 0.5, 1.9))).toEqual({ median: 1.5, worst: 8, met: "solid" })
})

it("for a row without a goal, returns the median and the worst round without a verdict", () => {
  expect(verdict(row(null, 1.1, 0.9, 1))).toEqual({ median: 1, worst: 0.9, met: "" })
})

it("marks a row as void if any round is void, and excludes the void round from the median", () => {
  const { rounds, ...rest } = row(higher, 4, 4, 4)
  const judged = verdict({ ...rest, rounds: [...rounds, { ...round(0.1, 1), void: "refused" }] })
  expect(judged).toEqual({ median: 4, worst: 4, met: "void" })
})

it("prints one line per row, with the row's rounds in the order in which they ran", () => {
  expect(table([row(higher, 1.25, 0.5, 2)]).split("\n")[2]).toBe(
    "| a row | an anchor | 1.25, 0.500, 2.00 | 1.25 | 0.500 | ≥ 1 / 3 | solid |"
  )
})
