/** Fixed-point numbers: the scale of each unit, and one named function per rounding (rule 0.1). */

/** Scale of prices and quantities outside a market: counts of 1e-8, as safe integers. */
export const unitScale = 100_000_000

/** Scale of money: counts of 1e-6 USD, a `number` (safe integer) in one market and a `bigint` in a trader's ledger. */
export const moneyScale = 1_000_000

/** Scale of fee rates: counts of 1e-8 of the notional. */
export const rateScale = 100_000_000

/**
 * Converts a client's decimal to a count of 1e-8. Returns `NaN` for more than eight decimals. `NaN` is no multiple of
 * a tick or lot, so the tick and lot checks reject it.
 */
export const unitsOf = (decimal: number): number => {
  const units = Math.round(decimal * unitScale)
  return units / unitScale === decimal ? units : NaN
}

/**
 * Returns the multiple of `stepE8` nearest to the decimal if the two differ only by floating-point noise, at most
 * 1e-12 of the decimal's size. Otherwise returns the decimal unchanged (rule 0.5).
 */
export const nearestMultiple = (decimal: number, stepE8: number): number => {
  const multiple = (Math.round((decimal * unitScale) / stepE8) * stepE8) / unitScale
  return Math.abs(multiple - decimal) <= Math.abs(decimal) * noise ? multiple : decimal
}

const noise = 1e-12

/** Converts a count of 1e-8 to the nearest double, which prints as the shortest exact decimal for counts below 2^53. */
export const decimalOfUnits = (units: number): number => units / unitScale

/** Converts money in 1e-6 USD to a decimal number of USD; exact below 2^53 millionths. */
export const decimalOfMoney = (money: number | bigint): number => Number(money) / moneyScale

/** Returns `floor(a * b / divisor)` without intermediate overflow; `a`, `b` >= 0, `divisor` > 0. */
export const mulDivDown = (a: number, b: number, divisor: number): number => {
  const product = a * b
  return product <= Number.MAX_SAFE_INTEGER
    ? Math.floor(product / divisor)
    : Number((BigInt(a) * BigInt(b)) / BigInt(divisor))
}

/** Returns `ceil(a * b / divisor)` without intermediate overflow; `a`, `b` >= 0, `divisor` > 0. */
export const mulDivUp = (a: number, b: number, divisor: number): number => {
  const product = a * b
  return product <= Number.MAX_SAFE_INTEGER
    ? Math.ceil(product / divisor)
    : Number((BigInt(a) * BigInt(b) + BigInt(divisor) - 1n) / BigInt(divisor))
}

/** Returns `ceil(a / b)` for `a` >= 0 and `b` > 0. */
export const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** Formats a count of 1e-8 as decimal text without an exponent, for string fields of market and reference data. */
export const text = (units: number, decimals: number): string => (units / unitScale).toFixed(decimals)

/** Formats money in 1e-6 USD as text with all six decimals. */
export const textOfMoney = (money: bigint): string => {
  const size = money < 0n ? -money : money
  const [whole, part] = [size / BigInt(moneyScale), size % BigInt(moneyScale)]
  return `${money < 0n ? "-" : ""}${whole}.${String(part).padStart(6, "0")}`
}
