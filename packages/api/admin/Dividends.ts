/** Cash dividends on underliers, which short positions pay to long positions on an operator's order (rule 19.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Day, NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Pays a dividend to the current positions at once. Another dividend for the same or an earlier day is a conflict. */
export const PayDividend = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  amount: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1_000_000))).annotate({
    description: "Dividend in USD per base unit; above 0, at most 1,000,000.",
    examples: [0.24]
  }),
  ex_date: Day.annotate({
    description: "First day on which the underlier trades without the dividend; today or an earlier day, in UTC.",
    examples: ["2026-11-26"]
  }),
  reason: Reason
}).annotate({ identifier: "PayDividend" })

/** Response body of `POST /dividends`. */
export const DividendTaken = Schema.Struct({
  symbol: SymbolName,
  amount: Schema.Finite.annotate({ description: "Dividend in USD per base unit." }),
  ex_date: Schema.String.annotate({ description: "First day on which the underlier trades without the dividend." })
}).annotate({ identifier: "DividendTaken" })

export const DividendsGroup = HttpApiGroup.make("dividends")
  .add(
    HttpApiEndpoint.post("pay", "/dividends", {
      payload: PayDividend,
      success: DividendTaken,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Pay a dividend",
        "Credits the dividend to the current long positions and debits it from the current short positions. " +
          "Refused with 404 for an unknown symbol, with 422 if the underlier is not a stock, and with 409 if a " +
          "dividend for the same or a later day was already paid."
      )
    )
  )
  .middleware(OperatorOnly)
