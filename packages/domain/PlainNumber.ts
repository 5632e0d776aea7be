/** Numbers as plain decimal text: exact, without exponents or trailing zeros. */

/** Formats any finite number; parsing the text returns the same number. */
export const plain = (number: number): string => {
  const size = Math.abs(number)
  return size === 0 || (size >= 1e-6 && size < 1e21) ? `${number}` : expanded(number)
}

/**
 * Rewrites the numbers in JSON text so that they have no exponents. `JSON.stringify` writes exponents below 1e-6 and
 * from 1e21.
 */
export const plainJson = (json: string): string =>
  exponent.test(json)
    ? json.replace(stringOrNumber, (token) => (token.startsWith('"') ? token : plain(Number(token))))
    : json

/** Formats a whole number with the decimal point moved `places` to the left. */
export const shifted = (whole: string, places: number): string => {
  const negative = whole.startsWith("-")
  const digits = (negative ? whole.slice(1) : whole).padStart(places + 1, "0")
  const fraction = digits.slice(-places).replace(/0+$/, "")
  const text = `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`
  return negative && text !== "0" ? `-${text}` : text
}

/** Expands an exponent. Doubles from 1e21 on are whole, so their exact digits are the plain form. */
const expanded = (number: number): string => {
  if (Math.abs(number) >= 1e21) return String(BigInt(number))
  const [mantissa, power] = `${number}`.split("e") as [string, string]
  const [whole, fraction = ""] = mantissa.split(".") as [string, string?]
  return shifted(whole + fraction, fraction.length - Number(power))
}

/**
 * Matches an exponent after one of the characters that precede a number in JSON, so never inside a UUID. Quoted text
 * can match, too.
 */
const exponent = /(?:^|[:[,])-?[0-9][0-9.]*e[+-][0-9]/

const stringOrNumber = /"(?:[^"\\]+|\\.)*"|-?[0-9]+(?:\.[0-9]+)?e[+-][0-9]+/g
