/** Numbers as plain decimal text: exact, never an exponent, no zeros at the end. */
import { moneyScale, unitScale } from "@venue/domain/Decimal"
import { plain, shifted } from "@venue/domain/PlainNumber"

export { plain }

/**
 * Prints a count of 1e-8. Most end within three places, and to look these up takes a quarter of the time it takes to print
 * them; an order prints some five (bench row `socket, 16x16, rate`).
 */
export const units = (count: number): string => {
  const whole = Math.floor(count / unitScale)
  const fraction =
    count >= 0 && count <= Number.MAX_SAFE_INTEGER ? fractions[(count - whole * unitScale) / thousandth] : undefined
  return fraction === undefined ? plain(count / unitScale) : `${whole}${fraction}`
}

/** Prints money in 1e-6 USD, exactly even where a double is not exact. */
export const money = (amount: number | bigint): string => {
  const number = Number(amount)
  return Math.abs(number) < exactMoney ? plain(number / moneyScale) : shifted(String(amount), 6)
}

/** Prints a count of 1e-8 that need not be a safe integer. */
export const bigUnits = (count: bigint): string => shifted(String(count), 8)

/**
 * The number that a plain decimal names, or `undefined` for any other text, and for more digits than a number can tell: it
 * is the one whose own decimal this is, so that no digit that was sent is lost.
 */
export const numberOf = (text: string): number | undefined => {
  const parts = text.length <= decimalLimit ? decimal.exec(text) : null
  if (parts === null) return undefined
  const [, sign = "", whole = "", fraction = ""] = parts
  const number = Number(text)
  const same = `${number === 0 ? "" : sign}${whole}${fraction === "" ? "" : `.${fraction}`}`
  return plain(number) === same ? number : undefined
}

/** Unix seconds with a fraction. */
export const seconds = (millis: number): string => plain(millis / 1_000)

/** An instant as ISO 8601 in UTC. */
export const instant = (millis: number): string => new Date(millis).toISOString()

/** Thousandths as they follow a whole number: "", ".001", …, ".5", …, ".999". */
const fractions: ReadonlyArray<string> = Array.from({ length: 1_000 }, (_, count) => `${count / 1_000}`.slice(1))

/** Matches digits with perhaps a sign and a fraction, and keeps the sign and the digits that count. */
const decimal = /^(-?)0*(\d+?)(?:\.0+|\.(\d*?[1-9])0*)?$/

/** Characters of a decimal in a string. */
export const decimalLimit = 32

/** One thousandth is so many counts of 1e-8. */
const thousandth = unitScale / 1_000

/** A double tells decimals of fifteen digits apart, so that the shortest text of one of these is its decimal. */
const exactMoney = 1e15
