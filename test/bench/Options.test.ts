/** What the command line of the bench means. */
import { expect, it } from "vitest"
import { read } from "./Options.ts"

const parts = ["matching", "socket"]

it("without arguments all parts run, five rounds each, against their anchors", () => {
  expect(read([], parts)).toEqual({
    parts,
    rounds: 5,
    seconds: 3,
    operations: 1_000_000,
    overloadSeconds: 60,
    kills: 20,
    trades: 10_000_000,
    shapes: [],
    json: null,
    against: null
  })
})

it("another checkout is named beside the parts, in any order", () => {
  const asked = { parts: ["socket"], shapes: ["16x16", "1x1"], against: "../older" }
  expect(read(["--against", "../older", "socket", "--shapes", "16x16,1x1"], parts)).toMatchObject(asked)
  expect(read(["socket", "--shapes", "16x16,1x1", "--against", "../older"], parts)).toMatchObject(asked)
})

it("a figure that is given outranks a quick look", () => {
  expect(read(["--quick", "--seconds", "2"], parts)).toMatchObject({ seconds: 2, operations: 100_000, rounds: 5 })
})

it("what is asked wrongly is told: a part, a number, an option, a folder that is missing", () => {
  const problem = (...args: ReadonlyArray<string>): string => (read(args, parts) as { problem: string }).problem
  expect(problem("sockets")).toBe("there is no part sockets; there are matching, socket")
  expect(problem("--rounds", "many")).toBe("--rounds many is no number above 0")
  expect(problem("--rounds", "0")).toBe("--rounds 0 is no number above 0")
  expect(problem("--round", "3")).toContain("--round")
  expect(problem("--against")).toContain("--against")
})
