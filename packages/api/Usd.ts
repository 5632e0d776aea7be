/** Amounts of money in requests, in USD with at most six decimals. */
import { nearestMultiple } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { NumberOrText } from "./Body.ts"

/** 1e-6 in units of 1e-8. */
const microE8 = 100

/** Largest amount in a request, in USD; in 1e-6 USD it is a safe integer. */
const most = 1_000_000_000

/** Amount in USD with at most six decimals, -1e9 to 1e9. */
export const Usd = Schema.Finite.check(
  Schema.isBetween({ minimum: -most, maximum: most }),
  Schema.makeFilter((amount) => microsOf(amount) / 1e6 === nearestMultiple(amount, microE8), {
    expected: "at most six decimals"
  })
)

/** Amount in USD with at most six decimals, above 0 and at most 1e9. */
export const PositiveUsd = Usd.check(Schema.isGreaterThan(0))

/** Returns a request member with an amount in USD; `what` is a noun phrase, `more` a further sentence. */
export const usdMember = (number: Schema.Codec<number, number>, what: string, more = "") =>
  NumberOrText(number).annotate({ description: `${what}, in USD with at most six decimals.${more}`, examples: [12.5] })

/** Returns a request member with a positive or negative amount in USD. */
export const usdChange = (what: string) =>
  usdMember(
    Usd.check(Schema.makeFilter((amount) => amount !== 0, { expected: "an amount other than 0" })),
    what,
    " Must be an amount other than 0."
  )

/** Converts USD to 1e-6 USD; exact for every amount that `Usd` accepts. */
export const microsOf = (amount: number): number => Math.round(amount * 1e6)
