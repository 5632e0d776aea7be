/** Plain decimal text of numbers: exact, without exponent or trailing zeros. */
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { plain, shifted } from "@venue/domain/PlainNumber"

export { plain }

/**
 * Prints a count of 1e-8 as decimal text. Looking up a fraction of up to three decimals, the common case, takes a quarter of
 * the time of printing it; an order prints about five numbers (bench row `socket, 16x16, rate`).
 */
export const units = (count: number): string => {
  const whole = Math.floor(count / unitScale)
  const fraction =
    count >= 0 && count <= Number.MAX_SAFE_INTEGER ? fractions[(count - whole * unitScale) / thousandth] : undefined
  return fraction === undefined ? plain(count / unitScale) : `${whole}${fraction}`
}

/** Prints money in 1e-6 USD as decimal text in USD, exact beyond the range of a double too. */
export const money = (amount: number | bigint): string => {
  const number = Number(amount)
  return Math.abs(number) < exactMoney ? plain(number / moneyScale) : shifted(String(amount), 6)
}

/** Prints a count of 1e-8 as decimal text, exact beyond the safe integers too. */
export const bigUnits = (count: bigint): string => shifted(String(count), 8)

/**
 * Parses plain decimal text. Returns `undefined` for other text, and for decimals that a double cannot hold exactly.
 * The parsed number always prints as the same decimal.
 */
export const numberOf = (text: string): number | undefined => {
  const parts = text.length <= decimalLimit ? decimal.exec(text) : null
  if (parts === null) return undefined
  const [, sign = "", whole = "", fraction = ""] = parts
  const number = Number(text)
  const same = `${number === 0 ? "" : sign}${whole}${fraction === "" ? "" : `.${fraction}`}`
  return plain(number) === same ? number : undefined
}

/** Prints Unix milliseconds as Unix seconds with a fraction. */
export const seconds = (millis: number): string => plain(millis / 1_000)

/** Prints Unix milliseconds as ISO 8601 in UTC. */
export const instant = (millis: number): string => new Date(millis).toISOString()

/** Fraction text of 0 to 999 thousandths: "", ".001", …, ".5", …, ".999". */
const fractions: ReadonlyArray<string> = Array.from({ length: 1_000 }, (_, count) => `${count / 1_000}`.slice(1))

/** Captures the sign, the whole digits without leading zeros, and the fraction without trailing zeros. */
const decimal = /^(-?)0*(\d+?)(?:\.0+|\.(\d*?[1-9])0*)?$/

/** Maximum length of decimal text in a request, in characters. */
export const decimalLimit = 32

/** One thousandth in 1e-8. */
const thousandth = unitScale / 1_000

/** Bound in 1e-6 USD below which a double prints exactly: doubles distinguish decimals of 15 digits. */
const exactMoney = 1e15
