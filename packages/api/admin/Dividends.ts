/** Cash dividends of underliers, which an operator has paid to who is long by who is short (rule 19.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, SchemaLink } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const dayMillis = 86_400_000

/** A day of UTC as days since 1970-01-01, or `NaN` where there is no such day. */
export const dayOf = (date: string): number => {
  const millis = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(date) ? NaN : millis / dayMillis
}

export const dateOf = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

export const dayAt = (atMillis: number): number => Math.floor(atMillis / dayMillis)

/** It is paid at once, to the positions of this moment; a second one for its day, or for an earlier one, is a conflict. */
export const PayDividend = Schema.Struct({
  $schema: SchemaLink,
  symbol: Schema.String,
  /** In USD for a unit of the base. */
  amount: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1_000_000))),
  /** From this day on the underlier is bought without it. */
  ex_date: Schema.String.check(
    Schema.makeFilter((date) => /^\d{4}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(dayOf(date)), {
      expected: "a day such as 2026-11-23"
    })
  ),
  reason: Reason
}).annotate({ identifier: "PayDividend" })

export const DividendTaken = Schema.Struct({
  symbol: Schema.String,
  amount: Schema.Finite,
  ex_date: Schema.String
}).annotate({ identifier: "DividendTaken" })

export const DividendsGroup = HttpApiGroup.make("dividends")
  .add(
    HttpApiEndpoint.post("pay", "/dividends", {
      payload: PayDividend,
      success: DividendTaken,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)
