/** Builds Schemas of wire members with a description that states meaning and unit. `what` is a noun phrase before the unit; `more` follows the unit. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"

/** Returns a member with text. */
export const text = (what: string) => Schema.String.annotate({ description: `${what}.` })

/** Member with the symbol of a market. */
export const symbol = text('Symbol of the market, such as "GOLD-USD"')

/** Returns a member with a UUID, which the venue sends in lower case. */
export const uuid = (what: string) => Schema.String.annotate({ description: `${what}.`, format: "uuid" })

/** Returns a member with a time in ISO 8601 and UTC. */
export const instant = (what: string, more = "") =>
  Schema.String.annotate({ description: `${what}, ISO 8601 in UTC${more}.`, format: "date-time" })

const number = (description: string) => Schema.Finite.annotate({ description })

/** Returns a member with a number in USD. */
export const usd = (what: string, more = "") => number(`${what}, in USD${more}.`)

/** Returns a member with a number in USD per base unit. */
export const price = (what: string, more = "") => number(`${what}, in USD per base unit${more}.`)

/** Returns a member with a number in base units. */
export const quantity = (what: string, more = "") => number(`${what}, in base units${more}.`)

/** Returns a member with a fraction: 0.01 is one percent. */
export const fraction = (what: string, more = "") => number(`${what}, as a fraction${more}.`)

/** Returns a member with a leverage. */
export const leverage = (what: string, more = "") => number(`${what}: the notional divided by the margin${more}.`)

/** Returns a member with Unix seconds and a fraction. */
export const unixSeconds = (what: string) => number(`${what}, in Unix seconds with a fractional part.`)

/** Returns a member with a whole number of at least 0. */
export const count = (what: string) =>
  Schema.Int.annotate({ description: `${what}.` }).check(Schema.isGreaterThanOrEqualTo(0))

/** Returns a member with true or false; `what` begins with "Whether". */
export const truth = (what: string) => Schema.Boolean.annotate({ description: `${what}.` })

/** Market data sends numbers as decimal text, which is exact in every client. */
const decimalText = (description: string) => Schema.String.annotate({ description }).check(plainDecimal)

const plainDecimal = Text.matches("^-?[0-9]+([.][0-9]+)?$", "a plain decimal")

/** Returns a member with decimal text in USD. */
export const usdText = (what: string, more = "") => decimalText(`${what}, in USD${more}.`)

/** Returns a member with decimal text in USD per base unit. */
export const priceText = (what: string, more = "") => decimalText(`${what}, in USD per base unit${more}.`)

/** Returns a member with decimal text in base units. */
export const quantityText = (what: string) => decimalText(`${what}, in base units.`)

/** Returns a member with a fraction as decimal text. */
export const fractionText = (what: string, more = "") => decimalText(`${what}, as a fraction${more}.`)
