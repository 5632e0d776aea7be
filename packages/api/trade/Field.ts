/** Decodes the fields of a command: each function returns the value or a refusal. */
import * as Digits from "../Digits.ts"
import type { Fields } from "../Incoming.ts"
import { type Malformed, outOfRange, wrong } from "../Malformed.ts"

/** Decodes a symbol of at most 64 characters, which the caller looks up. */
export const symbol = (fields: Fields): string | Malformed => {
  const value = fields["symbol"]
  if (typeof value !== "string") return wrong("symbol", value, 'a string such as "GOLD-USD"')
  return value.length <= symbolLimit ? value : outOfRange("symbol", value, `at most ${symbolLimit} characters`)
}

/** Decodes an optional symbol; `null` if absent. Refuses "", which could mean all symbols or no symbol. */
export const symbolFilter = (fields: Fields): string | null | Malformed => {
  const value = fields["symbol"]
  if (value === undefined || value === null) return null
  return value === "" ? outOfRange("symbol", value, 'a symbol such as "GOLD-USD", or no symbol field') : symbol(fields)
}

/** Decodes an id of 1 to 64 printable ASCII characters. */
export const id = (fields: Fields, name: string): string | Malformed => {
  const value = fields[name]
  if (typeof value !== "string") return wrong(name, value, "a string")
  return printable.test(value) ? value : outOfRange(name, value, printableWords)
}

/** Decodes an optional id; "" if absent. */
export const clientId = (fields: Fields, name: string): string | Malformed => {
  const value = fields[name]
  if (value === undefined || value === null || value === "") return ""
  if (typeof value !== "string") return wrong(name, value, "a string")
  return printable.test(value) ? value : outOfRange(name, value, printableWords)
}

/** Returns the value of a JSON number or plain decimal text, or `undefined` for any other value. */
export const numeric = (value: unknown): number | undefined =>
  typeof value === "number" ? value : typeof value === "string" ? Digits.numberOf(value) : undefined

/** Decodes a finite number; JSON allows 1e999, which is parsed to infinity. */
export const number = (fields: Fields, name: string): number | Malformed => {
  const value = numeric(fields[name])
  if (value === undefined) return wrong(name, fields[name], "a JSON number")
  return Number.isFinite(value) ? value : outOfRange(name, value, "a finite number")
}

/** Decodes an optional number; 0 if absent. */
export const numberOrZero = (fields: Fields, name: string): number | Malformed => {
  const value = fields[name]
  return value === undefined || value === null ? 0 : number(fields, name)
}

/** Decodes a whole number from `least` to `most`; `otherwise` if absent. */
export const wholeNumber = (
  fields: Fields,
  name: string,
  least: number,
  most: number,
  otherwise: number
): number | Malformed => {
  const given = fields[name]
  if (given === undefined || given === null) return otherwise
  const value = numeric(given)
  if (value === undefined) return wrong(name, given, "a whole JSON number")
  if (Number.isInteger(value) && value >= least && value <= most) return value
  return outOfRange(name, value, `a whole number from ${least} to ${most}`)
}

/** Decodes a boolean; some clients send 0 and 1. */
export const truth = (fields: Fields, name: string): boolean | Malformed => {
  const value = fields[name]
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  return wrong(name, value, "true or false")
}

/** Decodes the price of an attached stop: 0 for no stop, `undefined` if absent. */
export const trigger = (fields: Fields, name: string): number | undefined | Malformed => {
  const given = fields[name]
  if (given === undefined || given === null) return undefined
  const value = number(fields, name)
  if (typeof value !== "number" || value >= 0) return value
  return outOfRange(name, value, "a price above 0, or 0 for no price")
}

/** Decodes an optional time to Unix milliseconds; values below 1e11 (the year 5138) are seconds; `null` if absent. */
export const moment = (fields: Fields, name: string): number | null | Malformed => {
  const given = fields[name]
  if (given === undefined || given === null) return null
  const value = number(fields, name)
  if (typeof value !== "number") return value
  if (value < 0 || value > lastMillis) return outOfRange(name, value, "Unix seconds or milliseconds")
  return Math.round(value >= firstAsMillis ? value : value * 1_000)
}

/** Returns the value if it is one of the words, otherwise `undefined`. */
export const oneOf = <const Word extends string | null>(words: ReadonlyArray<Word>, value: unknown): Word | undefined =>
  words.find((word) => word === value)

const symbolLimit = 64
const printable = /^[\x20-\x7e]{1,64}$/
const printableWords = "1 to 64 printable ASCII characters"
const firstAsMillis = 1e11

/** Latest time of a JavaScript `Date`, in Unix milliseconds. */
const lastMillis = 8.64e15
