/** Fixed-point numbers: what each scale means, and every rounding by name. */

/** Prices and quantities count in 1e-8 of their unit, as safe integers. */
export const unitScale = 100_000_000

/** Money counts in 1e-6 USD: `number` (a safe integer) inside one market, `bigint` in a trader's ledger. */
export const moneyScale = 1_000_000

/** Fee rates count in 1e-8 of notional. */
export const rateScale = 100_000_000

/**
 * Gives the decimal a client wrote as a count of 1e-8. It is `NaN` when there are more than eight decimals: no tick or
 * lot divides that, so it is refused where ticks and lots are checked.
 */
export const unitsOf = (decimal: number): number => {
  const units = Math.round(decimal * unitScale)
  return units / unitScale === decimal ? units : NaN
}

/**
 * Returns the nearest multiple of a step in 1e-8 where it differs from the decimal by at most 1e-12 of its size, which is the
 * noise of a double's arithmetic, else the decimal itself (rule 0.5).
 */
export const nearestMultiple = (decimal: number, stepE8: number): number => {
  const multiple = (Math.round((decimal * unitScale) / stepE8) * stepE8) / unitScale
  return Math.abs(multiple - decimal) <= Math.abs(decimal) * noise ? multiple : decimal
}

const noise = 1e-12

/** Gives the shortest decimal of a count of 1e-8, exactly, since both sides are integers below 2^53. */
export const decimalOfUnits = (units: number): number => units / unitScale

/** Gives money as the decimal of a frame, exactly below 2^53 millionths. */
export const decimalOfMoney = (money: number | bigint): number => Number(money) / moneyScale

/** Gives `floor(a * b / divisor)` without passing 2^53 on the way; `a`, `b` >= 0, `divisor` > 0. */
export const mulDivDown = (a: number, b: number, divisor: number): number => {
  const product = a * b
  return product <= Number.MAX_SAFE_INTEGER
    ? Math.floor(product / divisor)
    : Number((BigInt(a) * BigInt(b)) / BigInt(divisor))
}

/** Gives `ceil(a * b / divisor)` without passing 2^53 on the way; `a`, `b` >= 0, `divisor` > 0. */
export const mulDivUp = (a: number, b: number, divisor: number): number => {
  const product = a * b
  return product <= Number.MAX_SAFE_INTEGER
    ? Math.ceil(product / divisor)
    : Number((BigInt(a) * BigInt(b) + BigInt(divisor) - 1n) / BigInt(divisor))
}

/** Gives `ceil(a / b)`; both are positive. */
export const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** Prints plain decimal text and never an exponent, for the string fields of market data and reference data. */
export const text = (units: number, decimals: number): string => (units / unitScale).toFixed(decimals)

/** Prints an amount of money whole, with its six decimals. */
export const textOfMoney = (money: bigint): string => {
  const size = money < 0n ? -money : money
  const [whole, part] = [size / BigInt(moneyScale), size % BigInt(moneyScale)]
  return `${money < 0n ? "-" : ""}${whole}.${String(part).padStart(6, "0")}`
}
