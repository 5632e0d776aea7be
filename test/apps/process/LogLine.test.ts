import { expect, it } from "vitest"
import * as LogLine from "../../../apps/process/LogLine.ts"

const date = new Date("2026-11-27T16:00:00.120Z")
const entry = { date, level: "WARN", message: "the journal is slow", fields: {}, error: undefined }

it("writes text with date, level, message and fields in one line, and the error in the lines after it", () => {
  expect(LogLine.text(entry)).toBe("2026-11-27T16:00:00.120Z WARN the journal is slow")
  const fields = { millis: 812, symbol: "GOLD-USD", reason: "two words" }
  expect(LogLine.text({ ...entry, fields, error: "Error: x\n    at y" })).toBe(
    '2026-11-27T16:00:00.120Z WARN the journal is slow millis=812 symbol=GOLD-USD reason="two words"\nError: x\n    at y'
  )
})

it("writes JSON in one line, without the node's name while it is unknown", () => {
  const line = LogLine.json({ ...entry, fields: { time: "mine" }, error: "a\nb" }, { node: "", release: "0.1.0" })
  expect(line).not.toContain("\n")
  expect(JSON.parse(line)).toEqual({
    time: "2026-11-27T16:00:00.120Z",
    level: "WARN",
    release: "0.1.0",
    message: "the journal is slow",
    fields: { time: "mine" },
    error: "a\nb"
  })
})
