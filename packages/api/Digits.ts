/** Plain decimal text of numbers: exact, without exponent or trailing zeros. */
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { plain, shifted } from "@venue/domain/PlainNumber"

export { plain }

/**
 * Prints a count of 1e-8 as decimal text. Fractions of up to three decimals, the common case, come from a table,
 * which is four times as fast as printing them (bench row `socket, 16x16, rate`; an order prints about five numbers).
 */
export const units = (count: number): string => {
  const whole = Math.floor(count / unitScale)
  const fraction =
    count >= 0 && count <= Number.MAX_SAFE_INTEGER ? fractions[(count - whole * unitScale) / thousandth] : undefined
  return fraction === undefined ? plain(count / unitScale) : `${whole}${fraction}`
}

/** Prints money in 1e-6 USD as decimal text in USD; also exact for amounts beyond a double's precision. */
export const money = (amount: number | bigint): string => {
  const number = Number(amount)
  return Math.abs(number) < exactMoney ? plain(number / moneyScale) : shifted(String(amount), 6)
}

/** Prints a count of 1e-8 as decimal text; also exact beyond the safe integers. */
export const bigUnits = (count: bigint): string => shifted(String(count), 8)

/**
 * Parses plain decimal text. Returns `undefined` for other text, and for a decimal whose digits a double cannot
 * reproduce.
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

/** 0.001, in units of 1e-8. */
const thousandth = unitScale / 1_000

/** Bound in 1e-6 USD below which amounts print exactly, because doubles distinguish all decimals of 15 digits. */
const exactMoney = 1e15
