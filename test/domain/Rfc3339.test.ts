/** Tests of dates and times of RFC 3339, sections 5.6 and 5.7. */
import { millisOfDateTime, millisOfDay } from "@venue/domain/Rfc3339"
import * as fc from "fast-check"
import { expect, it } from "vitest"

const at = Date.UTC(2026, 10, 27, 10, 30)

it.each([
  ["2026-11-27T10:30:00Z", at],
  ["2026-11-27t10:30:00z", at],
  ["2026-11-27T10:30:00.5Z", at + 500],
  ["2026-11-27T10:30:00.123999999Z", at + 123],
  ["2026-11-27T10:30:00+00:00", at],
  ["2026-11-27T10:30:00-00:00", at],
  ["2026-11-27T12:30:00+02:00", at],
  ["2026-11-27T05:00:00-05:30", at],
  ["2026-11-28T10:29:00+23:59", at],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
  ["2000-02-29T00:00:00Z", Date.UTC(2000, 1, 29)],
  ["2026-12-31T23:59:59Z", Date.UTC(2027, 0) - 1_000],
  ["0001-01-01T00:00:00Z", -62_135_596_800_000]
])("parses the valid date-time %s", (text, millis) => {
  expect(millisOfDateTime(text)).toBe(millis)
})

it.each([
  "2026-02-30T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "1900-02-29T00:00:00Z",
  "2026-04-31T00:00:00Z",
  "2026-06-31T00:00:00Z",
  "2026-09-31T00:00:00Z",
  "2026-11-31T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-01T00:00:00Z",
  "2026-11-27T24:00:00Z",
  "2026-11-27T25:00:00Z",
  "2026-11-27T10:60:00Z",
  "2026-11-27T10:30:61Z",
  "2016-12-31T23:59:60Z",
  "2026-11-27T10:30:00",
  "2026-11-27T10:30Z",
  "2026-11-27T10:30:00.Z",
  "2026-11-27T10:30:00,5Z",
  "2026-11-27 10:30:00Z",
  "2026-11-27T10:30:00+24:00",
  "2026-11-27T10:30:00+02:60",
  "2026-11-27T10:30:00+0200",
  "2026-11-27T10:30:00+02",
  "2026-11-27T10:30:00 Z",
  "2026-11-27T10:30:00Z ",
  "2026-11-27T10:30:00Z\n",
  "2026-1-27T10:30:00Z",
  "+002026-11-27T10:30:00Z",
  "2026-11-27",
  "20261127T103000Z",
  "1795775400000",
  "yesterday",
  ""
])("rejects the invalid date-time %j", (text) => {
  expect(millisOfDateTime(text)).toBeUndefined()
})

it("parses every instant of the years 0 to 9999 in the format that JavaScript prints", () => {
  const instants = fc.date({
    min: new Date("0000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true
  })
  fc.assert(
    fc.property(instants, (date) => {
      expect(millisOfDateTime(date.toISOString())).toBe(date.getTime())
      expect(millisOfDay(date.toISOString().slice(0, 10))).toBe(Math.floor(date.getTime() / 86_400_000) * 86_400_000)
    })
  )
})

it("rejects a day that does not exist in its month", () => {
  for (const text of ["2026-02-30", "2026-04-31", "2026-13-01", "2026-1-1", "2026-11-27T00:00:00Z", ""]) {
    expect(millisOfDay(text)).toBeUndefined()
  }
})
