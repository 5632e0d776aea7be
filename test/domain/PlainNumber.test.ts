/** JSON whose numbers are plain decimals. */
import { plainJson } from "@venue/domain/PlainNumber"
import * as fc from "fast-check"
import { expect, it } from "vitest"

const double = fc.double({ noDefaultInfinity: true, noNaN: true })
const json = fc.jsonValue().chain((value) => fc.tuple(fc.constant(value), double, double))
const strings = /"(?:[^"\\]+|\\.)*"/g

it("any value reads back as itself, with no exponent outside its strings", () =>
  fc.assert(
    fc.property(json, (value) => {
      const text = plainJson(JSON.stringify(value))
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replace(strings, "")).not.toMatch(/[0-9][eE]/)
    }),
    { numRuns: 2_000 }
  ))

it("small and large numbers lose no digit, and strings stay as they are", () => {
  expect(plainJson(`{"rate":3.3e-7,"all":[1e+21,-5e-324],"id":"7e-4","quoted":"\\"1e-7,"}`)).toBe(
    `{"rate":0.00000033,"all":[1000000000000000000000,-0.${"0".repeat(323)}5],"id":"7e-4","quoted":"\\"1e-7,"}`
  )
})
