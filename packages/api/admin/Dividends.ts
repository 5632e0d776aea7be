/** Cash dividends of underliers, which an operator has paid to who is long by who is short (rule 19.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Day, NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

/** It is paid at once, to the positions of this moment; a second one for its day, or for an earlier one, is a conflict. */
export const PayDividend = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  /** In USD for a unit of the base. */
  amount: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1_000_000))),
  /** From this day on the underlier is bought without it. */
  ex_date: Day,
  reason: Reason
}).annotate({ identifier: "PayDividend" })

export const DividendTaken = Schema.Struct({
  symbol: SymbolName,
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
