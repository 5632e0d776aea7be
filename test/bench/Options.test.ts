/** Command-line options of the bench. */
import { expect, it } from "vitest"
import { read } from "./Options.ts"

const parts = ["matching", "socket"]

it("by default, runs all parts of the benchmark for five rounds", () => {
  expect(read([], parts)).toEqual({
    parts,
    rounds: 5,
    seconds: 3,
    operations: 1_000_000,
    overloadSeconds: 60,
    kills: 20,
    trades: 10_000_000,
    events: 10_000_000,
    shapes: [],
    json: null,
    against: null
  })
})

it("accepts the folder of another checkout and the names of parts, in any order", () => {
  const asked = { parts: ["socket"], shapes: ["16x16", "1x1"], against: "../older" }
  expect(read(["--against", "../older", "socket", "--shapes", "16x16,1x1"], parts)).toMatchObject(asked)
  expect(read(["socket", "--shapes", "16x16,1x1", "--against", "../older"], parts)).toMatchObject(asked)
})

it("in a quick run, an explicit number replaces the quick run's default", () => {
  expect(read(["--quick", "--seconds", "2"], parts)).toMatchObject({ seconds: 2, operations: 100_000, rounds: 5 })
})

it("reports an unknown part, an invalid number, an unknown option or a missing folder", () => {
  const problem = (...args: ReadonlyArray<string>): string => (read(args, parts) as { problem: string }).problem
  expect(problem("sockets")).toBe("there is no part sockets; there are matching, socket")
  expect(problem("--rounds", "many")).toBe("--rounds many is no number above 0")
  expect(problem("--rounds", "0")).toBe("--rounds 0 is no number above 0")
  expect(problem("--round", "3")).toContain("--round")
  expect(problem("--against")).toContain("--against")
})
