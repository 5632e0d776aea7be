/** How two checkouts alternate, and the direction of their ratios. */
import { expect, it } from "vitest"
import { alternated, order, ratio, row } from "./Comparison.ts"
import { verdict } from "./Report.ts"

it("measures this checkout first in even rounds, and the other checkout first in odd rounds", () => {
  expect([0, 1, 2, 3].flatMap(order).join(" ")).toBe("ours theirs theirs ours ours theirs theirs ours")
})

it("returns a ratio above 1 if this checkout is better, even for figures of which the lower is better", () => {
  expect(ratio("higher", { ours: 120, theirs: 100 }).ratio).toBe(1.2)
  expect(ratio("lower", { ours: 100, theirs: 120 }).ratio).toBe(1.2)
})

it("excludes the first round from the comparison, because it only warms up both checkouts", async () => {
  const measured: Array<string> = []
  const found = await alternated(2, async (side, index) => {
    measured.push(`${side} ${index}`)
    return index
  })
  expect(measured).toEqual(["ours 0", "theirs 0", "theirs 1", "ours 1", "ours 2", "theirs 2"])
  expect(found).toEqual([
    { ours: 1, theirs: 1 },
    { ours: 2, theirs: 2 }
  ])
})

it("skips the warm-up round for a subject that starts a new process in every round", async () => {
  const found = await alternated(2, async (_, index) => index, 1)
  expect(found.length).toBe(2)
})

it("reports the smallest ratio as the worst round", () => {
  const what = { name: "p99", unit: "ms", better: "lower", against: "older" } as const
  const rounds = [
    { ours: { figure: 10 }, theirs: { figure: 12 } },
    { ours: { figure: 20 }, theirs: { figure: 10 } },
    { ours: { figure: 10 }, theirs: { figure: 11 } }
  ]
  expect(verdict(row(what, rounds))).toEqual({ median: 1.1, worst: 0.5, met: "" })
  const [refused] = row(what, [{ ours: { figure: 10 }, theirs: { figure: 12, void: "refused 3" } }]).rounds
  expect(refused!.void).toBe("theirs: refused 3")
})
