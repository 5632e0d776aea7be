/** Tests of CSV text: escaping, guarded formulas and times. */
import * as Csv from "@venue/api/Csv"
import { expect, it } from "vitest"

it("quotes CSV cells that contain separators, and doubles quotes within them", () => {
  expect(Csv.line(["a", Csv.text('say "1,2"'), Csv.text("two\r\nlines"), "", "-1.5"])).toBe(
    'a,"say ""1,2""","two\r\nlines",,-1.5\r\n'
  )
})

it("prefixes CSV text that a spreadsheet would run as a formula with an apostrophe", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"]) expect(Csv.text(text)).toBe(`'${text}`)
  expect(Csv.text('\r=1,"')).toBe(`"'\r=1,"""`)
  for (const text of ["a=1", " =1", "'x", "", "空"]) expect(Csv.text(text)).toBe(text)
})

it("prints times in UTC with microseconds, and an empty cell for null", () => {
  expect(Csv.moment(1_790_503_244_118)).toBe("2026-09-27T10:00:44.118000Z")
  expect(Csv.moment(null)).toBe("")
})
