/** How one field of a command is read: its value, or why it is none. */
import * as Digits from "../Digits.ts"
import type { Fields } from "../Incoming.ts"
import { type Malformed, outOfRange, wrong } from "../Malformed.ts"

/** Any text that could name a symbol; whether it does is for the venue to say. */
export const symbol = (fields: Fields): string | Malformed => {
  const value = fields["symbol"]
  if (typeof value !== "string") return wrong("symbol", value, 'a string such as "GOLD-USD"')
  return value.length <= symbolLimit ? value : outOfRange("symbol", value, `at most ${symbolLimit} characters`)
}

/** A filter: `null` when it was left out. An empty one could mean all or none, so it is refused. */
export const symbolFilter = (fields: Fields): string | null | Malformed => {
  const value = fields["symbol"]
  if (value === undefined || value === null) return null
  return value === "" ? outOfRange("symbol", value, 'a symbol such as "GOLD-USD", or no such field') : symbol(fields)
}

/** An id of 1 to 64 printable ASCII characters. */
export const id = (fields: Fields, name: string): string | Malformed => {
  const value = fields[name]
  if (typeof value !== "string") return wrong(name, value, "a string")
  return printable.test(value) ? value : outOfRange(name, value, printableWords)
}

/** An id the client may give; empty when it gave none. */
export const clientId = (fields: Fields, name: string): string | Malformed => {
  const value = fields[name]
  if (value === undefined || value === null || value === "") return ""
  if (typeof value !== "string") return wrong(name, value, "a string")
  return printable.test(value) ? value : outOfRange(name, value, printableWords)
}

/** Of a field that should hold a number: clients also write a plain decimal in a string. `undefined` when it is none. */
export const numeric = (value: unknown): number | undefined =>
  typeof value === "number" ? value : typeof value === "string" ? Digits.numberOf(value) : undefined

/** JSON can write a number that is none here: 1e999. */
export const number = (fields: Fields, name: string): number | Malformed => {
  const value = numeric(fields[name])
  if (value === undefined) return wrong(name, fields[name], "a JSON number")
  return Number.isFinite(value) ? value : outOfRange(name, value, "a finite number")
}

/** 0 when it was left out. */
export const numberOrZero = (fields: Fields, name: string): number | Malformed => {
  const value = fields[name]
  return value === undefined || value === null ? 0 : number(fields, name)
}

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

/** Clients also write 0 and 1. */
export const truth = (fields: Fields, name: string): boolean | Malformed => {
  const value = fields[name]
  if (value === true || value === 1) return true
  if (value === false || value === 0) return false
  return wrong(name, value, "true or false")
}

/** The price of a stop that an order brings: 0 is none, and undefined that nothing was said. */
export const trigger = (fields: Fields, name: string): number | undefined | Malformed => {
  const given = fields[name]
  if (given === undefined || given === null) return undefined
  const value = number(fields, name)
  if (typeof value !== "number" || value >= 0) return value
  return outOfRange(name, value, "a price, or 0 for none")
}

/** Unix seconds, or milliseconds from 1e11 on: that many seconds are the year 5138. */
export const moment = (fields: Fields, name: string): number | null | Malformed => {
  const given = fields[name]
  if (given === undefined || given === null) return null
  const value = number(fields, name)
  if (typeof value !== "number") return value
  if (value < 0 || value > lastMillis) return outOfRange(name, value, "Unix seconds or milliseconds")
  return Math.round(value >= firstAsMillis ? value : value * 1_000)
}

/** One of a few words, or `undefined` so that the caller says which. */
export const oneOf = <const Word extends string | null>(words: ReadonlyArray<Word>, value: unknown): Word | undefined =>
  words.find((word) => word === value)

const symbolLimit = 64
const printable = /^[\x20-\x7e]{1,64}$/
const printableWords = "1 to 64 printable ASCII characters"
const firstAsMillis = 1e11

/** The last instant a date can name. */
const lastMillis = 8.64e15
