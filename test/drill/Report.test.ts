/** Options, report and figures of the drill. */
import { expect, it } from "vitest"
import * as Options from "./Options.ts"
import * as Report from "./Report.ts"
import { silenceOf } from "./Silence.ts"

it("parts run in their own order, and an unknown part or number is refused with the accepted values", () => {
  expect(Options.read([])).toEqual({
    only: ["backup", "witness", "failover", "keys"],
    seconds: 20,
    rounds: 5,
    keep: false,
    report: undefined
  })
  expect(Options.read(["--only", "keys,backup", "--keep", "--report", "report.md"])).toMatchObject({
    only: ["backup", "keys"],
    keep: true,
    report: "report.md"
  })
  expect(Options.read(["--only", "standby"])).toBe(
    "--only standby: expected backup, witness, failover, keys, separated by commas"
  )
  expect(Options.read(["--seconds", "0"])).toBe("--seconds 0: expected a whole number from 1 to 3600")
  expect(Options.read(["--rounds", "1.5"])).toBe("--rounds 1.5: expected a whole number from 1 to 100")
})

it("the report has a line with expected, found and time for each check, and the summary counts failed checks", () => {
  let now = 0
  const printed: Array<string> = []
  const report = Report.make(
    () => now,
    (line) => printed.push(line)
  )
  report.begin("a part")
  now = 1_500
  report.check("the balance", "1", "1")
  now = 1_700
  report.check("the orders", "none lost", "two lost", false)
  report.figure("the silence", "0.9 s")
  const lines = [
    "## a part",
    "- ok: the balance: expected 1, found 1 (1.5 s)",
    "- FAILED: the orders: expected none lost, found two lost (0.2 s)",
    "- figure: the silence: 0.9 s"
  ]
  expect(printed).toEqual(lines)
  expect(report.lines()).toEqual([...lines, "summary: 2 checks, 1 failed"])
  expect(report.failures()).toBe(1)
})

it("a list of differences shows the first three and the number of the others", () => {
  expect(Report.listed([])).toBe("none")
  expect(Report.listed(["a", "b"])).toBe("a; b")
  expect(Report.listed(["a", "b", "c", "d", "e"])).toBe("a; b; c and 2 more")
})

it("the silence after a kill is the longest gap that ends after it, even if an acknowledgement was still on its way", () => {
  const acknowledgements = [
    { at: 0, symbol: "A", orderId: "1" },
    { at: 5_000, symbol: "B", orderId: "2" },
    { at: 5_990, symbol: "A", orderId: "3" },
    { at: 6_010, symbol: "A", orderId: "4" },
    { at: 6_900, symbol: "A", orderId: "5" },
    { at: 7_000, symbol: "B", orderId: "6" }
  ]
  expect(silenceOf(acknowledgements, 6_000)).toEqual({ ofVenue: 890, ofMarket: 2_000 })
})
