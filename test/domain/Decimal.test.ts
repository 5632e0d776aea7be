/** Tests of fixed-point numbers and their rounding. */
import {
  decimalOfMoney,
  decimalOfUnits,
  divideUp,
  mulDivDown,
  mulDivUp,
  nearestMultiple,
  text,
  textOfMoney,
  unitsOf
} from "@venue/domain/Decimal"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"

test("converts a decimal with up to eight places exactly, in both directions", () => {
  for (const decimal of [0, 0.1, 0.00000001, 3411.2, 1.085, 49_999_999.99999999, 183.37]) {
    assert.strictEqual(decimalOfUnits(unitsOf(decimal)), decimal)
  }
  assert.strictEqual(unitsOf(3411.2), 341_120_000_000)
})

test("returns NaN for a decimal with more than eight places", () => {
  for (const decimal of [0.000000001, 0.1 + 0.2, 1 / 3, 1e305]) assert.isNaN(unitsOf(decimal))
})

test("converts every count below 2^53 to a decimal and back without loss", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.integer({ min: 0, max: 1e15 }), (units) => unitsOf(decimalOfUnits(units)) === units)
  )
})

test("divides a product exactly, rounded down or up, even if the product exceeds 2^53", () => {
  const whole = FastCheck.maxSafeNat()
  FastCheck.assert(
    FastCheck.property(whole, whole, FastCheck.integer({ min: 1, max: 1e12 }), (a, b, divisor) => {
      const product = BigInt(a) * BigInt(b)
      const down = product / BigInt(divisor)
      const up = (product + BigInt(divisor) - 1n) / BigInt(divisor)
      FastCheck.pre(up <= BigInt(Number.MAX_SAFE_INTEGER))
      assert.strictEqual(BigInt(mulDivDown(a, b, divisor)), down)
      assert.strictEqual(BigInt(mulDivUp(a, b, divisor)), up)
    })
  )
})

test("rounds a product below 2^53 exactly, as it rounds larger products", () => {
  const small = FastCheck.integer({ min: 0, max: 90_000_000 })
  FastCheck.assert(
    FastCheck.property(small, small, FastCheck.integer({ min: 1, max: 1e9 }), (a, b, divisor) => {
      assert.strictEqual(BigInt(mulDivDown(a, b, divisor)), (BigInt(a) * BigInt(b)) / BigInt(divisor))
      assert.strictEqual(BigInt(mulDivUp(a, b, divisor)), divideUp(BigInt(a) * BigInt(b), BigInt(divisor)))
    })
  )
})

test("rule 0.5: rounds a number to the nearest multiple only if it is within a relative 1e-12 of that multiple", () => {
  const tenth = 10_000_000
  assert.strictEqual(nearestMultiple(59_174 * 0.1, tenth), 5_917.4)
  assert.strictEqual(nearestMultiple(5_917.400000005, tenth), 5_917.4)
  assert.strictEqual(nearestMultiple(5_917.40000001, tenth), 5_917.40000001)
  assert.strictEqual(nearestMultiple(0.1 + 0.2, 1_000_000), 0.3)
  assert.strictEqual(nearestMultiple(50_000_000.00000001, 100_000_000), 50_000_000)
  assert.strictEqual(nearestMultiple(199.005, 1_000_000), 199.005)
  for (const same of [0, -0, 1e300, Infinity, -Infinity]) assert.strictEqual(nearestMultiple(same, 1), same)
  FastCheck.assert(
    FastCheck.property(
      FastCheck.integer({ min: 1, max: 0x7ffffffe }),
      FastCheck.constantFrom(1, 1_000, 100_000, 1_000_000, 100_000_000),
      FastCheck.integer({ min: -8, max: 8 }),
      (count, stepE8, ulps) => {
        const exact = decimalOfUnits(count * stepE8)
        assert.strictEqual(nearestMultiple(exact, stepE8), exact)
        if (count * stepE8 < 2 ** 50) assert.strictEqual(nearestMultiple(exact * (1 + ulps * 2 ** -53), stepE8), exact)
      }
    )
  )
})

test("converts money to a decimal number", () => {
  assert.strictEqual(decimalOfMoney(3_886_300_000n), 3_886.3)
  assert.strictEqual(decimalOfMoney(-1_994), -0.001994)
})

test("formats money with all six decimals", () => {
  const printed = [0n, 1n, -1n, 1_000_000n, -12_345_678n, 9_007_199_254_740_993_000_001n].map(textOfMoney)
  assert.deepStrictEqual(printed, [
    "0.000000",
    "0.000001",
    "-0.000001",
    "1.000000",
    "-12.345678",
    "9007199254740993.000001"
  ])
})

test("formats numbers as text without an exponent", () => {
  assert.strictEqual(text(1, 8), "0.00000001")
  assert.strictEqual(text(34_112_000_000, 1), "341.1")
})
