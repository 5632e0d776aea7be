/** Reads prices out of what a source answers, by the fields that the settings name. */
import { highestE8 } from "@venue/domain/Oracle"
import { Option, Predicate, Schema } from "effect"
import type { Print } from "./PriceSource.ts"

/** Fields are named from the outside in, with points between; the empty path is the value itself. */
export const Fields = Schema.Struct({
  /** Leads to the list of the prices, to a record with a price for each contract, or to a single price. */
  items: Schema.optionalKey(Schema.String),
  /** Leads from an item to the name of its contract; where it is left out, the keys of the record are the names. */
  contract: Schema.optionalKey(Schema.String),
  /** Leads from an item to its price: a number, or a decimal in a string. */
  price: Schema.String
})
export type Fields = typeof Fields.Type

/** What is no text of JSON, names no contract or is no price above zero says nothing. */
export const read = (fields: Fields, text: string): ReadonlyArray<Print> => {
  const items = Option.getOrUndefined(decode(text).pipe(Option.map((body) => at(body, fields.items ?? ""))))
  if (Array.isArray(items)) return items.flatMap((item) => print(fields, item, undefined))
  if (!Predicate.isObject(items)) return []
  if (fields.contract !== undefined) return print(fields, items, undefined)
  return Object.entries(items).flatMap(([name, item]) => print(fields, item, name))
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

function print(fields: Fields, item: unknown, key: string | undefined): ReadonlyArray<Print> {
  const contract = fields.contract === undefined ? key : at(item, fields.contract)
  const price = at(item, fields.price)
  const usd = typeof price === "string" && decimal.test(price) ? Number(price) : price
  if (typeof contract !== "string" || typeof usd !== "number") return []
  const priceE8 = Math.round(usd * 1e8)
  return priceE8 > 0 && priceE8 <= highestE8 ? [{ contract, priceE8 }] : []
}

const decimal = /^\d+(\.\d+)?$/

function at(value: unknown, path: string): unknown {
  if (path === "") return value
  let found = value
  for (const name of path.split(".")) {
    if (!Predicate.isObjectOrArray(found) || !Object.hasOwn(found, name)) return undefined
    found = (found as Readonly<Record<string, unknown>>)[name]
  }
  return found
}
