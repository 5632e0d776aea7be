/** Extracts prices from a source's messages, by the paths in the source's settings. */
import { highestE8 } from "@venue/domain/Oracle"
import { Option, Predicate, Schema } from "effect"
import type { Print } from "./PriceSource.ts"
import * as QuoteTime from "./QuoteTime.ts"

/** Paths to members: names separated by dots, outermost first. The empty path is the value itself. */
export const Fields = Schema.Struct({
  /** Path to the list of prices, to a record with one price per contract, or to a single price. */
  items: Schema.optionalKey(Schema.String),
  /** Path from an item to its contract name. If absent, the keys of the record are the names. */
  contract: Schema.optionalKey(Schema.String),
  /** Path from an item to its price: a number, or a decimal string. */
  price: Schema.String,
  /**
   * Path to the quote's time: from the item, or with the prefix `$.` from the whole response, such as `$.timestamp`.
   * Valid times are Unix seconds, Unix milliseconds or RFC 3339. A quote without this time is ignored, as is a quote
   * more than 60 s old or 5 s ahead.
   */
  time: Schema.optionalKey(Schema.String)
})
export type Fields = typeof Fields.Type

/**
 * Returns the prices of a message. Invalid JSON, items without a contract name and prices that are not positive are
 * skipped.
 */
export const read = (fields: Fields, text: string): ReadonlyArray<Print> => {
  const body = Option.getOrUndefined(decode(text))
  const items = at(body, fields.items ?? "")
  const printOf = (item: unknown, key: string | undefined) => print(fields, item, key, body)
  if (Array.isArray(items)) return items.flatMap((item) => printOf(item, undefined))
  if (!Predicate.isObject(items)) return []
  if (fields.contract !== undefined) return printOf(items, undefined)
  return Object.entries(items).flatMap(([name, item]) => printOf(item, name))
}

/** Prices of current quotes, or the reason why there are no current quotes. */
export interface Current {
  readonly prints: ReadonlyArray<Print>
  readonly fault: string | undefined
}

export const readCurrent = (fields: Fields, text: string, nowMillis: number): Current => {
  const all = read(fields, text)
  const prints = all.filter(
    ({ quotedAtMillis }) => quotedAtMillis === undefined || QuoteTime.isCurrent(quotedAtMillis, nowMillis)
  )
  if (prints.length > 0) return { prints, fault: undefined }
  if (all.length > 0)
    return {
      prints,
      fault: "all quotes are more than 60 s old or more than 5 s ahead of this machine's clock (fields.time)"
    }
  const what = fields.time === undefined ? "price" : `price with a time at ${JSON.stringify(fields.time)} (fields.time)`
  return { prints, fault: `the response has no ${what}` }
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

function print(fields: Fields, item: unknown, key: string | undefined, body: unknown): ReadonlyArray<Print> {
  const contract = fields.contract === undefined ? key : at(item, fields.contract)
  const price = at(item, fields.price)
  const usd = typeof price === "string" && decimal.test(price) ? Number(price) : price
  if (typeof contract !== "string" || typeof usd !== "number") return []
  const priceE8 = Math.round(usd * 1e8)
  if (!(priceE8 > 0 && priceE8 <= highestE8)) return []
  if (fields.time === undefined) return [{ contract, priceE8 }]
  const isOfAnswer = fields.time.startsWith(ofAnswer)
  const time = isOfAnswer ? at(body, fields.time.slice(ofAnswer.length)) : at(item, fields.time)
  const quotedAtMillis = QuoteTime.read(time)
  return quotedAtMillis === undefined ? [] : [{ contract, priceE8, quotedAtMillis }]
}

/** Prefix of a path that starts at the whole message. */
const ofAnswer = "$."

const decimal = /^\d+(\.\d+)?$/

function at(value: unknown, path: string): unknown {
  if (path === "") return value
  let current = value
  for (const name of path.split(".")) {
    if (!Predicate.isObjectOrArray(current) || !Object.hasOwn(current, name)) return undefined
    current = (current as Readonly<Record<string, unknown>>)[name]
  }
  return current
}
