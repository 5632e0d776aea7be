/** Tests of decimal text. */
import * as Digits from "@venue/api/Digits"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const decimal = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/

describe("decimal text parses back to the number", () => {
  it("parses the printed text of any finite double back to the same number", () =>
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (number) => {
        const text = Digits.plain(number)
        expect(text).toMatch(decimal)
        expect(Number(text)).toBe(number === 0 ? 0 : number)
      }),
      { numRuns: 2_000 }
    ))

  it("parses the printed text of any multiple of 1e-8 back to the same number", () =>
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (count) => {
        const text = Digits.units(count)
        expect(text).toMatch(decimal)
        expect(Number(text)).toBe(count / 1e8)
      }),
      { numRuns: 2_000 }
    ))

  it("parses the printed text of any amount of money exactly, even beyond the precision of doubles", () =>
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (amount) => {
        const text = Digits.money(amount)
        expect(text).toMatch(decimal)
        const [whole = "", fraction = ""] = text.split(".")
        expect(BigInt(whole.replace("-", "") + fraction.padEnd(6, "0"))).toBe(amount < 0n ? -amount : amount)
        expect(text.startsWith("-")).toBe(amount < 0n)
        if (amount > -(2n ** 53n) && amount < 2n ** 53n) expect(text).toBe(Digits.money(Number(amount)))
      }),
      { numRuns: 2_000 }
    ))

  it("parses the printed text of any time back to the same time", () =>
    fc.assert(
      fc.property(fc.nat({ max: 4_102_444_800_000 }), (millis) => {
        expect(Number(Digits.seconds(millis))).toBe(millis / 1_000)
        expect(Number(Digits.seconds(millis + 0.25))).toBe((millis + 0.25) / 1_000)
      })
    ))
})

it("prints small numbers without an exponent and zero without a sign", () => {
  expect(Digits.plain(1e-7)).toBe("0.0000001")
  expect(Digits.plain(-1.5e-9)).toBe("-0.0000000015")
  expect(Digits.plain(-0)).toBe("0")
  expect(Digits.units(-0)).toBe("0")
  expect(Digits.money(-0)).toBe("0")
  expect(Digits.money(0n)).toBe("0")
  expect(Digits.money(-1)).toBe("-0.000001")
})

describe("parsing of decimal text", () => {
  it("accepts every number written in plain digits, with any leading and trailing zeros", () =>
    fc.assert(
      fc.property(
        fc.double({ min: -1e15, max: 1e15, noNaN: true }).filter((number) => Digits.plain(number).length <= 28),
        (number) => {
          const text = Digits.plain(number)
          expect(Digits.numberOf(text)).toBe(number === 0 ? 0 : number)
          expect(Digits.numberOf(text.replace(/^-?/, "$&00"))).toBe(number === 0 ? 0 : number)
          expect(Digits.numberOf(`${text}${text.includes(".") ? "" : "."}00`)).toBe(number === 0 ? 0 : number)
        }
      ),
      { numRuns: 2_000 }
    ))

  it("refuses text with more digits than a double can hold", () =>
    fc.assert(
      fc.property(fc.stringMatching(/^-?[0-9]{1,12}(\.[0-9]{1,18})?$/), (text) => {
        const read = Digits.numberOf(text)
        if (read === undefined) return
        const [whole = "", fraction = ""] = text.replace("-", "").split(".")
        const [readWhole = "", readFraction = ""] = Digits.plain(read).replace("-", "").split(".")
        expect(BigInt(readWhole + readFraction.padEnd(18, "0"))).toBe(BigInt(whole + fraction.padEnd(18, "0")))
      }),
      { numRuns: 2_000 }
    ))
})
