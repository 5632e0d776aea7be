/** Tests of the starts and ends of time spans, against the reference. */
import { daysOf, type Duration, spanOf, windows } from "@venue/api/rest/Duration"
import { symbolsOf } from "@venue/api/rest/SymbolFilter"
import { expect, it } from "vitest"

const iso = (millis: number) => new Date(millis).toISOString().slice(0, 16)
const now = Date.UTC(2026, 10, 20, 15, 44, 59, 999)
const since = Date.UTC(2025, 1, 28, 23, 59)

const spanText = (duration: Duration, at = now) => {
  const span = spanOf(duration, at, since)
  return [iso(span.startMillis), iso(span.endMillis), span.intervalMinutes, windows(span)]
}

it("a span such as 1d or 1w ends with the current window and has as many windows as its name states", () => {
  expect(spanText("1d")).toEqual(["2026-11-19T15:45", "2026-11-20T15:45", 15, 96])
  expect(spanText("1w")).toEqual(["2026-11-13T16:00", "2026-11-20T16:00", 60, 168])
  expect(spanText("1m")).toEqual(["2026-10-21T16:00", "2026-11-20T16:00", 240, 180])
  expect(spanText("ytd")).toEqual(["2026-01-01T00:00", "2026-11-21T00:00", 1440, 324])
  expect(spanText("all")).toEqual(["2025-02-28T00:00", "2026-11-21T00:00", 1440, 631])
  expect(spanText("ytd", Date.UTC(2026, 0, 1, 12))).toEqual(["2026-01-01T00:00", "2026-01-02T00:00", 1440, 1])
  expect(spanText("all", since)).toEqual(["2025-02-28T00:00", "2025-03-01T00:00", 1440, 1])
})

it("returns the whole days of a span, up to and including today", () => {
  const days = (range: Exclude<Duration, "1d">, at = now) => {
    const { beforeDay, fromDay } = daysOf(range, at, since)
    return [iso(fromDay * 86_400_000).slice(0, 10), beforeDay - fromDay]
  }
  expect(days("1w")).toEqual(["2026-11-14", 7])
  expect(days("1m")).toEqual(["2026-10-22", 30])
  expect(days("ytd")).toEqual(["2026-01-01", 324])
  expect(days("all")).toEqual(["2025-02-28", 631])
  expect(days("all", since)).toEqual(["2025-02-28", 1])
})

it("reads a list of symbols in any letter case, and treats an empty list as all symbols", () => {
  expect(symbolsOf(" aapl-usd,CL-USD ,, AAPL-USD")).toEqual(["AAPL-USD", "CL-USD"])
  expect([undefined, "", " , "].map(symbolsOf)).toEqual([undefined, undefined, undefined])
})
