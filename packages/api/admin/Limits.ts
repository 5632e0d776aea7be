/** Limits of a contract, which an operator changes at once (rule 1.9). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

const Amount = NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(10_000_000_000)))

/** What is left out stays as it is. */
export const SetLimits = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  min_quantity: Schema.optionalKey(Amount),
  max_quantity: Schema.optionalKey(Amount),
  /** In USD, at the maximum leverage. */
  position_limit: Schema.optionalKey(Amount),
  /** In USD. */
  open_interest_limit: Schema.optionalKey(Amount),
  reason: Reason
}).annotate({ identifier: "SetLimits" })

export const LimitsInForce = Schema.Struct({
  symbol: SymbolName,
  min_quantity: Schema.Finite,
  max_quantity: Schema.Finite,
  position_limit: Schema.Finite,
  open_interest_limit: Schema.Finite
}).annotate({ identifier: "LimitsInForce" })

export const LimitsGroup = HttpApiGroup.make("limits")
  .add(
    HttpApiEndpoint.post("set", "/instruments/limits", {
      payload: SetLimits,
      success: LimitsInForce,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)
