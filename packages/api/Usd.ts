/** Amounts of money in requests: USD with at most six decimals. */
import { nearestMultiple } from "@venue/domain/Decimal"
import { Schema } from "effect"
import { NumberOrText } from "./Body.ts"

/** One millionth in 1e-8. */
const microE8 = 100

/** Largest amount in USD of a request; in 1e-6 USD it is a safe integer. */
const most = 1_000_000_000

export const Usd = Schema.Finite.check(
  Schema.isBetween({ minimum: -most, maximum: most }),
  Schema.makeFilter((amount) => microsOf(amount) / 1e6 === nearestMultiple(amount, microE8), {
    expected: "at most six decimals"
  })
)

export const PositiveUsd = Usd.check(Schema.isGreaterThan(0))

/** A member of a request with an amount of the given kind. */
export const usdMember = (number: Schema.Codec<number, number>, what: string) =>
  NumberOrText(number).annotate({ description: `${what}, in USD with at most six decimals.`, examples: [12.5] })

/** A member of a request with an amount that may be negative. */
export const usdChange = (what: string) =>
  usdMember(
    Usd.check(Schema.makeFilter((amount) => amount !== 0, { expected: "an amount other than 0" })),
    `${what}; an amount other than 0`
  )

/** Gives an amount in 1e-6 USD, exactly for what the schema lets through. */
export const microsOf = (amount: number): number => Math.round(amount * 1e6)
