/** Tests of JSON with numbers as plain decimals. */
import { plainJson } from "@venue/domain/PlainNumber"
import * as fc from "fast-check"
import { expect, it } from "vitest"

const double = fc.double({ noDefaultInfinity: true, noNaN: true })
const json = fc.jsonValue().chain((value) => fc.tuple(fc.constant(value), double, double))
const strings = /"(?:[^"\\]+|\\.)*"/g

it("rewrites numbers in any JSON without exponents, and keeps their values and all strings", () =>
  fc.assert(
    fc.property(json, (value) => {
      const text = plainJson(JSON.stringify(value))
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replace(strings, "")).not.toMatch(/[0-9][eE]/)
    }),
    { numRuns: 2_000 }
  ))

it("returns text without exponents unchanged, even if it contains UUIDs with the letter e", () => {
  const text = `{"id":"6e6b6d1e-4f4e-4c4e-8d4e-1f6a7b8c9d0e","rate":0.5}`
  expect(plainJson(text)).toBe(text)
  expect(plainJson("[2e-7,-2e-7]")).toBe("[0.0000002,-0.0000002]")
  expect(plainJson("2e-7")).toBe("0.0000002")
})

it("keeps every digit of small and large numbers, and leaves strings unchanged", () => {
  expect(plainJson(`{"rate":3.3e-7,"all":[1e+21,-5e-324],"id":"7e-4","quoted":"\\"1e-7,"}`)).toBe(
    `{"rate":0.00000033,"all":[1000000000000000000000,-0.${"0".repeat(323)}5],"id":"7e-4","quoted":"\\"1e-7,"}`
  )
})
