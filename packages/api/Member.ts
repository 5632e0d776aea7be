/** Members of what travels: each says to the reader of a description what it is, and in which unit. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"

export const text = (what: string) => Schema.String.annotate({ description: `${what}.` })

export const symbol = text('Symbol of the market, such as "GOLD-USD"')

/** The venue writes them in lower case. */
export const uuid = (what: string) => Schema.String.annotate({ description: `${what}.`, format: "uuid" })

export const instant = (what: string) =>
  Schema.String.annotate({ description: `${what}, in ISO 8601 and UTC.`, format: "date-time" })

const number = (description: string) => Schema.Finite.annotate({ description })

export const usd = (what: string) => number(`${what}, in USD.`)

export const price = (what: string) => number(`${what}, in USD per base unit.`)

export const quantity = (what: string) => number(`${what}, in base units.`)

/** One percent is 0.01. */
export const fraction = (what: string) => number(`${what}, as a fraction.`)

export const leverage = (what: string) => number(`${what}, as a multiple of the margin.`)

export const unixSeconds = (what: string) => number(`${what}, in Unix seconds with a fraction.`)

export const count = (what: string) =>
  Schema.Int.annotate({ description: `${what}.` }).check(Schema.isGreaterThanOrEqualTo(0))

export const truth = (what: string) => Schema.Boolean.annotate({ description: `${what}.` })

/** Market data has its numbers as text, so that no reader loses a digit. */
const decimalText = (description: string) => Schema.String.annotate({ description }).check(plainDecimal)

const plainDecimal = Text.matches("^-?[0-9]+([.][0-9]+)?$", "a plain decimal")

export const usdText = (what: string) => decimalText(`${what}, in USD.`)

export const priceText = (what: string) => decimalText(`${what}, in USD per base unit.`)

export const quantityText = (what: string) => decimalText(`${what}, in base units.`)

export const fractionText = (what: string) => decimalText(`${what}, as a fraction.`)
