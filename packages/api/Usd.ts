/** Amounts of money in what is asked: USD with at most six decimals. */
import { Schema } from "effect"

/** So many USD keep the amount in 1e-6 USD a safe integer. */
const most = 1_000_000_000

export const Usd = Schema.Finite.check(
  Schema.isBetween({ minimum: -most, maximum: most }),
  Schema.makeFilter((amount) => microsOf(amount) / 1e6 === amount, { expected: "at most six decimals" })
)

/** Gives an amount in 1e-6 USD, exactly for what the schema lets through. */
export const microsOf = (amount: number): number => Math.round(amount * 1e6)
